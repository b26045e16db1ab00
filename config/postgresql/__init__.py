"""PostgreSQL as Django has it, but for how a kept connection is found to be alive."""
