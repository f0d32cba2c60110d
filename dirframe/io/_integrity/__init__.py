"""Embed digests in files, and verify them before a native reader opens the file."""
