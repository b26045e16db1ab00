"""Errors that the apps share."""


class StepRefused(Exception):
    """A step of staff was refused; the message has the reason as a sentence."""

    message = ""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or self.message)
