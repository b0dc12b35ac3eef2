"""A bench beside its virtual twin: rows of one line and of the radio, their differences, a fit of the model."""
