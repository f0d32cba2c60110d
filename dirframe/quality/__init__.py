"""The quality of records: rules, flags, an overview, and two snapshots compared."""
