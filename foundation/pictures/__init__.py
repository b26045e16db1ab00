"""Pictures from outside: measured for legibility by a child process with limits."""
