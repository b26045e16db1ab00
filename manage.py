#!/usr/bin/env python
"""Run a management command."""

from config.command_line import manage

if __name__ == "__main__":
    manage()
