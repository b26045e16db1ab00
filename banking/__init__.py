"""The bank's records; knows nothing of leads, HTTP or MCP."""
