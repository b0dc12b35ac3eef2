"""The virtual bench as a process that is started, announced and ended, or recorded within this process."""
