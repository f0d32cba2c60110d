"""Frames to files and back: each file whole or not at all, with the provenance in or beside it."""
