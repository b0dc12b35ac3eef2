"""The store: recordings and studies registered in a DuckDB file next to Parquet datasets."""
