"""Words, codes and aliases that names of countries are made of."""
