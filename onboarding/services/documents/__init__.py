"""Documents: attached, fetched from URLs, reviewed, quarantined and swept."""
