"""Archives of chunks: zip, its members, and what is left of damaged ones."""
