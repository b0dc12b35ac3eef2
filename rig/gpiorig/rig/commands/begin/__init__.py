"""The verbs demo, doctor."""
