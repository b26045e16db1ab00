"""Transactions by the million for measurements: `manage.py load_demo_bank --scale 1000000`.

`transactions` runs the statements of `sql` in PostgreSQL, for the types of `transaction_types`;
`tables` drops the indexes and constraints of the tables meanwhile.
"""
