"""The steps of the flow, one module per page."""
