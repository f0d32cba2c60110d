"""Options that every statistic takes: exclusions and strata."""
