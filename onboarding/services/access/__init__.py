"""Access of applicants: links, tokens, e-mailed codes and sessions."""
