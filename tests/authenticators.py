"""An authenticator in software, and the browser around it: passkeys without a window."""

import json
import secrets
from hashlib import sha256

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

PRESENT = AuthenticatorData.FLAG.UP
HOST = "testserver"


class Authenticator:
    """One passkey. Signs what any site asks, as a browser at `origin` would let it."""

    def __init__(
        self, origin=f"http://{HOST}", *, host=HOST, counts=True, id_bytes=32, in_frame=False
    ):
        self.origin, self.host, self.counts = origin, host, counts
        self.in_frame = in_frame
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.credential_id = secrets.token_bytes(id_bytes)
        self.count = 0

    def create(self, options):
        """Return the answer to the options of `navigator.credentials.create`, as JSON."""
        credential = AttestedCredentialData.create(
            Aaguid.NONE, self.credential_id, ES256.from_cryptography_key(self.key.public_key())
        )
        data = self._data(PRESENT | AuthenticatorData.FLAG.AT, credential)
        client = self._client("webauthn.create", options)
        attestation = AttestationObject.create("none", data, {})
        return self._answer(client, attestationObject=bytes(attestation))

    def get(self, options):
        """Return the answer to the options of `navigator.credentials.get`, as JSON."""
        self.count += self.counts
        data, client = self._data(PRESENT), self._client("webauthn.get", options)
        signature = self.key.sign(data + client.hash, ec.ECDSA(hashes.SHA256()))
        return self._answer(client, authenticatorData=bytes(data), signature=signature)

    def _data(self, flags, credential=b""):
        site = sha256(self.host.encode()).digest()
        return AuthenticatorData.create(site, flags, self.count, credential)

    def _client(self, kind, options):
        challenge = options["publicKey"]["challenge"]
        return CollectedClientData.create(kind, challenge, self.origin, self.in_frame)

    def _answer(self, client, **response):
        response["clientDataJSON"] = bytes(client)
        return json.dumps(
            {
                "id": websafe_encode(self.credential_id),
                "rawId": websafe_encode(self.credential_id),
                "type": "public-key",
                "response": {name: websafe_encode(value) for name, value in response.items()},
            }
        )
