"""Technical packages without business rules. The apps import them; they import none of the apps."""
