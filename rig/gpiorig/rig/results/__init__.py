"""From a recording to its results: analysis, report, comparison, list of packets, reproduction."""
