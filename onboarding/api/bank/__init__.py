"""The record feed over HTTP, for the bank's own systems."""
