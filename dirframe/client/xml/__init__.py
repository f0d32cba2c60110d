"""XML of the interface: pages, their records, and columns."""
