"""Reading the environment."""

import os

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env


def test_an_unset_variable_has_its_default(monkeypatch):
    monkeypatch.delenv("NAME_OF_IT", raising=False)

    assert env.text("NAME_OF_IT", "fallback") == "fallback"
    assert env.integer("NAME_OF_IT", 7) == 7
    assert env.number("NAME_OF_IT", 0.5) == 0.5
    assert env.words("NAME_OF_IT", "a, b") == ["a", "b"]
    assert env.flag("NAME_OF_IT", default=True)


def test_an_empty_variable_counts_as_unset(monkeypatch):
    monkeypatch.setenv("NAME_OF_IT", "")

    assert env.text("NAME_OF_IT", "fallback") == "fallback"
    assert not env.flag("NAME_OF_IT")


@pytest.mark.parametrize(
    ("word", "value"), [("1", True), ("TRUE", True), ("on", True), ("no", False), ("Off", False)]
)
def test_a_flag_knows_the_usual_words(monkeypatch, word, value):
    monkeypatch.setenv("NAME_OF_IT", word)

    assert env.flag("NAME_OF_IT") is value


def test_blank_words_are_left_out(monkeypatch):
    monkeypatch.setenv("NAME_OF_IT", " a,, b ,")

    assert env.words("NAME_OF_IT") == ["a", "b"]


@pytest.mark.parametrize(
    ("read", "value", "complaint"),
    [
        (lambda: env.flag("NAME_OF_IT"), "perhaps", "NAME_OF_IT must be true or false"),
        (lambda: env.integer("NAME_OF_IT", 1), "1.5", "NAME_OF_IT must be a whole number"),
        (lambda: env.number("NAME_OF_IT", 1), "one", "NAME_OF_IT must be a number"),
        (lambda: env.text("NAME_OF_IT", choices=["a", "b"]), "c", "must be one of a, b; it is 'c'"),
    ],
)
def test_a_wrong_value_is_named(monkeypatch, read, value, complaint):
    monkeypatch.setenv("NAME_OF_IT", value)

    with pytest.raises(ImproperlyConfigured, match=complaint):
        read()


def test_a_secret_has_no_default(monkeypatch):
    monkeypatch.delenv("NAME_OF_IT", raising=False)

    with pytest.raises(ImproperlyConfigured, match="NAME_OF_IT is not set"):
        env.secret("NAME_OF_IT")


def test_a_file_adds_to_the_environment_and_never_overrides_it(monkeypatch, tmp_path):
    monkeypatch.setenv("SET_ALREADY", "environment")
    monkeypatch.setenv("ADDED", "")
    monkeypatch.delenv("ADDED")
    file = tmp_path / "secrets.env"
    file.write_text("# a comment\nSET_ALREADY=file\nADDED = with=sign \nno assignment\n")

    env.load(file)

    assert os.environ["SET_ALREADY"] == "environment"
    assert os.environ["ADDED"] == "with=sign"


def test_a_file_that_is_not_there_adds_nothing(tmp_path):
    env.load(tmp_path / "missing.env")


@pytest.fixture
def secret_file(monkeypatch, tmp_path):
    """Return a file that NAME_OF_IT_FILE names, which its owner alone may read."""
    file = tmp_path / "keys"
    file.write_text("k1:aa\n")
    file.chmod(0o600)
    monkeypatch.delenv("NAME_OF_IT", raising=False)
    monkeypatch.setenv("NAME_OF_IT_FILE", str(file))
    return file


@pytest.mark.parametrize("mode", [0o400, 0o600, 0o440])
def test_a_secret_can_be_in_a_file(secret_file, mode):
    secret_file.chmod(mode)

    assert env.secret("NAME_OF_IT") == "k1:aa"
    assert env.private_text("NAME_OF_IT", "fallback") == "k1:aa"


def test_the_lines_of_a_secret_file_are_joined_by_commas(secret_file):
    secret_file.write_text("k2:bb\n\n k1:aa \n")

    assert env.secret("NAME_OF_IT") == "k2:bb,k1:aa"
    assert env.private_words("NAME_OF_IT") == ["k2:bb", "k1:aa"]


@pytest.mark.parametrize("mode", [0o604, 0o644, 0o402])
def test_a_secret_file_of_others_is_refused(secret_file, mode):
    secret_file.chmod(mode)

    with pytest.raises(ImproperlyConfigured, match=r"NAME_OF_IT_FILE: .*/keys can be read by"):
        env.secret("NAME_OF_IT")


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_secret_file_that_cannot_be_read_is_refused(secret_file, content):
    secret_file.write_bytes(content) if content else secret_file.unlink()

    with pytest.raises(ImproperlyConfigured, match=r"NAME_OF_IT_FILE: .*/keys cannot be read"):
        env.private_text("NAME_OF_IT")


def test_an_empty_secret_file_is_refused(secret_file):
    secret_file.write_text("\n")

    with pytest.raises(ImproperlyConfigured, match=r"NAME_OF_IT_FILE: .*/keys is empty"):
        env.private_text("NAME_OF_IT")


def test_a_secret_is_not_given_twice(secret_file, monkeypatch):
    monkeypatch.setenv("NAME_OF_IT", "k2:bb")

    with pytest.raises(ImproperlyConfigured, match="NAME_OF_IT and NAME_OF_IT_FILE are both set"):
        env.private_text("NAME_OF_IT")


def test_a_secret_file_takes_the_place_of_a_development_secret(secret_file, tmp_path):
    development = tmp_path / "secrets.env"
    development.write_text("NAME_OF_IT=development\n")

    env.load(development)

    assert env.secret("NAME_OF_IT") == "k1:aa"


def test_client_documents_are_found_by_their_id(monkeypatch, tmp_path):
    file = tmp_path / "clients.json"
    file.write_text('[{"client_id": "https://a.example.com/c", "client_name": "A"}]')
    monkeypatch.setenv("DOCUMENTS", str(file))

    found = env.client_documents("DOCUMENTS")

    assert found["https://a.example.com/c"]["client_name"] == "A"
    assert env.client_documents("UNSET_DOCUMENTS") == {}


@pytest.mark.parametrize("content", ["{", "{}x", "[1]", "[{}]", "7", None])
def test_other_files_of_client_documents_are_refused(monkeypatch, tmp_path, content):
    file = tmp_path / "clients.json"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv("DOCUMENTS", str(file))

    with pytest.raises(ImproperlyConfigured, match="DOCUMENTS must name a JSON list"):
        env.client_documents("DOCUMENTS")
