"""Archives: whole collections stored on disk as received, harvested over days."""
