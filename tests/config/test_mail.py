"""Mails of a sandbox without a mail server."""

from django.core import mail


def test_a_mail_is_kept_and_shown(settings, tmp_path, capsys):
    settings.EMAIL_BACKEND = "config.mail.ConsoleAndFiles"
    settings.EMAIL_FILE_PATH = tmp_path

    sent = mail.send_mail("A code", "It is 000000.", None, ["ada@example.com"])

    assert sent == 1
    assert "It is 000000." in capsys.readouterr().out
    (file,) = tmp_path.iterdir()
    assert "To: ada@example.com" in file.read_text()
