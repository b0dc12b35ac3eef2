"""The verbs bench, flash, firmware."""
