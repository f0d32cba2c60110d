"""Archives: harvested over days, read without loss."""
