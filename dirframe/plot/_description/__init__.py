"""What a chart shows, before Matplotlib or Plotly draws it."""
