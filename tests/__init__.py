"""The tests; `make test` runs them on each database that can be had."""
