"""One place per verb, in the room of its group: `VERB` has its options, `VERB_work` its work, `run`."""
