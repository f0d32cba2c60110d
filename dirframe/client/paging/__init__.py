"""The walk over the pages of a collection, and what they prove."""
