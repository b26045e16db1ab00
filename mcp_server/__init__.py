"""Banking, read aloud to assistants."""
