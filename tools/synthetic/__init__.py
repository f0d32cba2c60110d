"""Generate synthetic directories of any size."""
