"""Quantities by name: delays between milestones, intervals, spans, shares, goodput."""
