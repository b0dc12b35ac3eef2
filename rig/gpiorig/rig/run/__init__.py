"""Running an experiment on a bench and recording it, or recording a bench without one."""
