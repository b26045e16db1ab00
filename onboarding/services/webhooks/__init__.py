"""Webhooks: endpoints, deliveries, ordered lanes and HTTP posts."""
