"""What reads: one module per noun."""
