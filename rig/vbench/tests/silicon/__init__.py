"""Published measurements of silicon beside the virtual boards: the table, the programs, the page, the fit."""
