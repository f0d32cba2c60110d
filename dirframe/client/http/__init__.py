"""HTTP for the client: authentication, attempts, retries, the daily quota and the cache."""
