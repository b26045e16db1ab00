"""manage.py changepassword."""

import pytest
from django.core.management import CommandError, call_command


def test_nobody_sets_a_password_by_a_command():
    with pytest.raises(CommandError, match="Nobody sets the password of another person"):
        call_command("changepassword")
