"""The parts of a radio wait by name, in the order of `radio_parts.RadioParts.samples`."""

PART_NAMES = (
    "earlier attempts",
    "acknowledgements awaited",
    "other nodes' frames",
    "backoff",
    "backoff again",
    "not divided",
    "repeated, not divided",
)
