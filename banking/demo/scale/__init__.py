"""Transactions by the million, to measure with: `manage.py load_demo_bank --scale 1000000`.

`transactions` makes them within PostgreSQL, of the `kinds` that there are, by a handful of
`statements`; `tables` are bare meanwhile.
"""
