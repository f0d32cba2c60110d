"""Vocabulary of country names: words, codes and aliases."""
