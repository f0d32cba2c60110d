"""What a chart shows, before Matplotlib draws it."""
