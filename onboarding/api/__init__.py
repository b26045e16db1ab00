"""Lead API: the REST interface for partners."""
