"""Frames by their old address, for tests that do not import them from tests.frames yet."""

from tests.frames import accounts, activity_facts, contributors, projects

__all__ = ["accounts", "activity_facts", "contributors", "projects"]
