"""What writes, rows and papers: one module per noun."""
