"""Tidy frames to axes."""
