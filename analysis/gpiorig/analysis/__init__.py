"""From edges to events, packets, timelines, statistics and a report. Each stage is one immutable type."""
