"""The service: over HTTP, by the application or over a socket."""
