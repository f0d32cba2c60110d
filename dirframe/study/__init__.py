"""Metadata of a study's files, for people and programs that do not know dirframe."""
