"""From bytes to columns of text: parse a page, flatten its records."""
