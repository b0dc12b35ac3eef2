"""Later."""


def cases() -> list:
    """None yet."""
    return []
