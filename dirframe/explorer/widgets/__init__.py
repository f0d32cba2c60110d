"""The explorer's widgets: bound to the state, deciding nothing."""
