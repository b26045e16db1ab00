"""What writes: one module per noun."""
