"""A directory of the interface for tests: real requests on loopback, documents written by hand.

It imports nothing of the package but `Directory`, so an error that reader and writer share is seen.
"""
