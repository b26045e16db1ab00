"""What the OAuth toolkit leaves open: audience, issuer, step-up, registration, consent."""
