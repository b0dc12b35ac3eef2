"""The verbs report, view, packets, compare, info, export."""
