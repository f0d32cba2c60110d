"""Digests inside files, and checks before a native reader sees them."""
