"""Personal data: key rotation, reveals, retention and erasure."""
