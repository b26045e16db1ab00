"""Connection checks: `manage.py check --deploy --live` asks each part that the programs need."""
