"""Configuration: settings, URLs, servers and logs. The apps never import this package."""
