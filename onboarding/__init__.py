"""Partners, leads, owners, documents, applications."""
