"""The keys of anchors."""

import subprocess

import pytest

from foundation.anchoring import keys
from tests.factories import make_anchor_key


@pytest.fixture
def key_file(tmp_path):
    return make_anchor_key(tmp_path / "key.pem")


def public_part(path):
    """Return the public key of a file, as the runbook has it made."""
    command = ["openssl", "pkey", "-in", path, "-pubout"]
    return subprocess.run(command, check=True, capture_output=True).stdout


def test_a_key_made_by_openssl_signs_and_its_public_part_verifies(tmp_path):
    made = tmp_path / "made.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", made], check=True)
    public = tmp_path / "public.pem"
    public.write_bytes(public_part(made))

    signature = keys.load(made).sign(b"statement")

    assert keys.load(public).verifies(b"statement", signature)
    assert not keys.load(public).verifies(b"another", signature)
    with pytest.raises(keys.KeyFault, match="only verify"):
        keys.load(public).sign(b"statement")


def test_another_key_does_not_verify(key_file, tmp_path):
    other = keys.load(make_anchor_key(tmp_path / "other.pem"))

    assert not other.verifies(b"statement", keys.load(key_file).sign(b"statement"))


def test_the_public_key_of_before_still_verifies(key_file, tmp_path):
    signature = keys.load(key_file).sign(b"statement")
    new = make_anchor_key(tmp_path / "new.pem")
    new.write_bytes(new.read_bytes() + public_part(key_file))

    both = keys.load(new)

    assert both.verifies(b"statement", signature)
    assert both.signing_id != keys.load(key_file).signing_id


@pytest.mark.parametrize("content", [b"", b"no key", b"-----BEGIN X-----\nAA\n-----END X-----"])
def test_a_file_without_keys_is_refused(tmp_path, content):
    path = tmp_path / "key.pem"
    path.write_bytes(content)

    with pytest.raises(keys.KeyFault):
        keys.load(path)


def test_a_key_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "rsa.pem"
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "rsa", "-out", path], check=True, capture_output=True
    )

    with pytest.raises(keys.KeyFault, match="Ed25519"):
        keys.load(path)


def test_a_missing_file_and_no_file_are_refused(tmp_path):
    with pytest.raises(keys.KeyFault):
        keys.load(tmp_path / "none.pem")
    with pytest.raises(keys.KeyFault, match="ANCHOR_KEY_FILE"):
        keys.load(None)
