"""An extension of Django's ORM for hot paths and append-only tables. README.md explains it."""
