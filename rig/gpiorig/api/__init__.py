"""What `import gpiorig` offers: results as tables, recordings and files, captures and runs."""
