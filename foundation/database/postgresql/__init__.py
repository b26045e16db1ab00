"""Django's PostgreSQL backend with deadlines and a cheaper check of kept connections."""
