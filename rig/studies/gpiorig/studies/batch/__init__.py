"""Many items on several processes or a cluster of Dask, and what is done with each."""
