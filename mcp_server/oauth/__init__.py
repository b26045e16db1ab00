"""Extensions of the OAuth toolkit: audience, issuer, step-up, registration, consent."""
