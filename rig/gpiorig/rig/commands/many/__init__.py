"""The verbs store: of many runs."""
