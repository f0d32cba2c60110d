"""HTTP for the client: authentication, retries, the daily quota and the cache."""
