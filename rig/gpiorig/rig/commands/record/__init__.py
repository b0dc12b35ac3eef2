"""The verbs run, capture, serial, import, merge."""
