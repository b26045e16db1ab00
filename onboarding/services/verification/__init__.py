"""Services of verification by providers and by partners."""
