"""Write frames to files atomically, with their provenance, and read them back."""
