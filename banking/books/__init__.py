"""Files of a month's lines for accounting software; no module here uses the database."""
