"""The server through which AI assistants read banking data, and its signed-in pages."""
