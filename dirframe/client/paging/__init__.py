"""Paginated collections: query, pages, completeness."""
