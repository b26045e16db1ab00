"""Metrics: counters, gauges and histograms of this process, off until `start` is called."""
