"""Shared drawing: axes, colours, labels, small multiples."""
