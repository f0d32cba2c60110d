"""A directory of the interface for tests: real requests on loopback, documents written by hand.

It imports nothing of the package but `Directory`, so an error that reader and writer of the package
share is seen. `server`: the directory; `faults`: what may go wrong with a response; `today`: the
live service as it is today.
"""
