"""A mail server with STARTTLS and a password that keeps nothing but a line per mail.

`python -m bench.trial.smtp_sink ADDRESS PORT LOG CERTIFICATE USER PASSWORD`
"""

import asyncio
import base64
import ssl
import sys
from pathlib import Path


class Sink:
    """Takes mails of one user; each is a line in the log, its envelope."""

    def __init__(self, log: Path, certificate: str, user: str, password: str) -> None:
        self.log = log
        self.secret = base64.b64encode(f"\0{user}\0{password}".encode()).decode()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one client until it leaves."""
        try:
            await self._talk(reader, writer)
        except (ConnectionError, ssl.SSLError):
            pass
        finally:
            writer.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        is_encrypted = is_known = False
        envelope: list[str] = []
        await _say(writer, "220 mail.example.com")
        while line := (await reader.readline()).decode().strip():
            word = line.split()[0].upper()
            if word == "AUTH":
                is_known = is_encrypted and line.split()[-1] == self.secret
            elif word in {"MAIL", "RCPT"}:
                envelope = [] if word == "MAIL" else envelope
                envelope.append(line.partition(":")[2])
            await _say(writer, _answer(word, is_encrypted=is_encrypted, is_known=is_known))
            if word == "STARTTLS":
                await writer.start_tls(self.context)
                is_encrypted = True
            elif word == "DATA" and is_known:
                await self._keep(reader, envelope)
                await _say(writer, "250 kept")
            elif word == "QUIT":
                return

    async def _keep(self, reader: asyncio.StreamReader, envelope: list[str]) -> None:
        while await reader.readline() not in (b".\r\n", b""):
            pass
        with self.log.open("a") as log:
            log.write(" ".join(envelope) + "\n")


def _answer(word: str, *, is_encrypted: bool, is_known: bool) -> str:
    offer = "AUTH PLAIN" if is_encrypted else "STARTTLS"
    answers = {
        "EHLO": f"250-mail.example.com\r\n250 {offer}",
        "STARTTLS": "220 go on",
        "AUTH": "235 welcome" if is_known else "535 authentication failed",
        "QUIT": "221 bye",
        "RSET": "250 ok",
    }
    known = "354 go on" if word == "DATA" else "250 ok"
    return answers.get(word) or (known if is_known else "530 authentication required")


async def _say(writer: asyncio.StreamWriter, text: str) -> None:
    writer.write(f"{text}\r\n".encode())
    await writer.drain()


async def serve(
    address: str, port: int, log: Path, certificate: str, user: str, password: str
) -> asyncio.Server:
    """Return a server that takes mails."""
    sink = Sink(log, certificate, user, password)
    return await asyncio.start_server(sink.talk, address, port)


async def main(address: str, port: str, log: str, *account: str) -> None:
    """Serve until a signal ends it."""
    async with await serve(address, int(port), Path(log), *account) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
