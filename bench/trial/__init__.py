"""The trial: docs/production.md, step by step, on machines that are namespaces of this one."""
