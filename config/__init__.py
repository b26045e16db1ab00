"""Configuration: settings, URLs, servers and logs. The apps never import this package."""

__version__ = "1.0.0"  # of the release, as in pyproject.toml
