"""The tools for assistants, one module per noun."""
