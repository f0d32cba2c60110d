"""Charts as interactive figures of Plotly."""
