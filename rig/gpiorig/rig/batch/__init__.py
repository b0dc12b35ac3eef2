"""Many items on several processes or a cluster: tasks of Dask, and what each does."""
