"""Inference: intervals, comparisons, correlation, survival and fitted models."""
