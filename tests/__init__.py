"""Tests of dirframe: they mirror the package."""
