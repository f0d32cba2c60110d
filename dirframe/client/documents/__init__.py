"""Documents already at hand, in memory or in files, as frames."""
