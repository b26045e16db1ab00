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


def test_what_repeats_the_text_as_html_is_kept_but_not_shown(settings, tmp_path, capsys):
    settings.EMAIL_BACKEND = "config.mail.ConsoleAndFiles"
    settings.EMAIL_FILE_PATH = tmp_path

    mail.send_mail("A code", "It is.", None, ["ada@example.com"], html_message="<b>It is.</b>")

    shown = capsys.readouterr().out
    assert "It is." in shown
    assert "<b>" not in shown
    (file,) = tmp_path.iterdir()
    assert "<b>It is.</b>" in file.read_text()
