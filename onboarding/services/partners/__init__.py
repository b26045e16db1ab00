"""Partners: API keys, authentication, idempotent requests and appearance."""
