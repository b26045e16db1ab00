"""Password validators that need no network: breached passwords, and the deployment's own words."""
