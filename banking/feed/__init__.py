"""The record feed: records that the bank's own systems send, line by line, and their rules."""
