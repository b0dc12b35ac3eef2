"""Studies: study files, bench templates, the points of a study, and how they are recorded and kept."""
