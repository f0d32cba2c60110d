"""Shared drawing helpers: axes, colours, labels, small multiples."""
