"""The kinds of records, a module per noun; a new kind is a module here and nothing else."""
