"""Shared computation: columns, backends, group-by, frequencies."""
