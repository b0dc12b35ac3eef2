"""Tables and other text files: heads, cells, columns, lines."""
