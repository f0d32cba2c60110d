"""Charts of the inference: estimates with intervals, survival and fitted curves."""
