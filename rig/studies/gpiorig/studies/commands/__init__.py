"""The work of `gpiorig study` and `gpiorig batch`: `run`, in a module of the name of the verb."""
