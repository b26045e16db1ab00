"""Password validators that need no network: guessable, breached, and of the deployment's words."""
