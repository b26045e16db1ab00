"""The tools, a module per noun."""
