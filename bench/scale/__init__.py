"""Transactions by the million for measurements, made by PostgreSQL itself.

`transactions` runs the statements of `sql` in PostgreSQL, for the types of `transaction_types`;
`tables` drops the indexes and constraints of the tables meanwhile.
"""
