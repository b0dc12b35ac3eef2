"""The options of `gpiorig study` and `gpiorig batch`."""
