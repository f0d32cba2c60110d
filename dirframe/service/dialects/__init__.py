"""XML of the service: dialects, record shapes and the writer."""
