"""PDF files from outside: checked and drawn by a child process with limits."""
