"""The pages that people see around assistants: sign-in, consent, connected assistants."""
