"""Background jobs: how they are declared. The rows and the workers are in `banking`."""
