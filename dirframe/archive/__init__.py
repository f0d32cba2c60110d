"""Archives: a whole collection kept on disk as it came, over days, and read again.

What stays out: everything; the modules beside this one say what they do.
"""
