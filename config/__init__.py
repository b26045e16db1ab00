"""The wiring: settings, URLs, servers, logs. The apps never import it."""
