"""A directory served over HTTP: the interface as specified, and pages for people."""
