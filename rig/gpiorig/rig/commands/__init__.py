"""The work of each verb: `run`, in a module of its name."""
