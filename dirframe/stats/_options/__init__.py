"""Options that every statistic takes: which records, by which strata."""
