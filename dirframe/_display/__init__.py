"""Values and tables as text and as HTML: the terminal, notebooks, pages and reports use this."""
