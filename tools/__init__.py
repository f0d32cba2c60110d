"""Scripts that are run by hand while dirframe is developed; none of them ships."""
