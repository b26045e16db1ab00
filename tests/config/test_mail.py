"""Mails of a sandbox without a mail server."""

import os

import pytest
from django.core import mail

LINK = "http://127.0.0.1:8000/apply/10ce9k"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    """The folder to which the sandbox writes mails."""
    settings.EMAIL_BACKEND = "config.mail.ConsoleAndFiles"
    settings.EMAIL_FILE_PATH = tmp_path
    return tmp_path


def test_a_mail_is_one_line_on_the_console_and_whole_in_a_file(folder, capsys):
    text = f"Open your application here:\n\n{LINK}\n\nTo see more: http://127.0.0.1:8000/"

    sent = mail.send_mail("Your application", text, None, ["ada@example.com"])

    (file,) = folder.iterdir()
    line = f"mail to ada@example.com | Your application | {LINK} | {os.path.relpath(file)}\n"
    assert sent == 1
    assert capsys.readouterr().out == line
    assert "To: ada@example.com" in file.read_text()
    assert text in file.read_text()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Your code is:\n\n000000\n\nDo not share it.", "A mail | 000000 | "),
        ("Call 555 0100 12 times.", "A mail | "),
        ("<a>b</a>\nhttp://127.0.0.1:8000/a?b=c\n", "A mail | http://127.0.0.1:8000/a?b=c | "),
    ],
)
def test_the_line_has_the_link_or_the_code_of_the_mail(text, shown, folder, capsys):
    mail.send_mail("A mail", text, None, ["ada@example.com"])

    (file,) = folder.iterdir()
    line = f"mail to ada@example.com | {shown}{os.path.relpath(file)}\n"
    assert capsys.readouterr().out == line


def test_html_is_kept_but_not_shown(folder, capsys):
    mail.send_mail("A code", "It is.", None, ["ada@example.com"], html_message="<b>It is.</b>")

    (file,) = folder.iterdir()
    assert "<b>It is.</b>" in file.read_text()
    assert "<b>" not in capsys.readouterr().out
