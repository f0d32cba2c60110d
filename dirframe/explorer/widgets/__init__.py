"""The explorer's widgets, bound to its state."""
