"""A mail server for tests: it keeps what it is sent, and may be told how to answer."""

import email
import socketserver
import threading
from contextlib import contextmanager
from email import policy

ANSWERS = {
    "EHLO": "250 mail.example.com",
    "MAIL": "250 ok",
    "RCPT": "250 ok",
    "DATA": "354 go on",
    ".": "250 kept",
    "RSET": "250 ok",
    "QUIT": "221 bye",
}
HANG_UP = ""


class _Conversation(socketserver.StreamRequestHandler):
    server: "MailServer"
    timeout = 10

    def handle(self):
        self._answer("220 mail.example.com")
        for line in self.rfile:
            word = line.split()[0].decode().upper()
            if not self._answer_to(word):
                return
            if word == "DATA":
                lines = iter(self.rfile.readline, b".\r\n")
                content = b"".join(line.removeprefix(b".") for line in lines)
                self.server.received.append(email.message_from_bytes(content, policy=policy.SMTP))
                if not self._answer_to("."):
                    return

    def _answer_to(self, word):
        """Answer as the server was told, and say whether the conversation goes on."""
        answer = self.server.answers[word]
        if answer != HANG_UP:
            self._answer(answer)
        return answer != HANG_UP and word != "QUIT"

    def _answer(self, line):
        self.wfile.write(f"{line}\r\n".encode())


class MailServer(socketserver.ThreadingTCPServer):
    """Listens on loopback; `answers` are by the word that the client begins with."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.received = []
        self.answers = dict(ANSWERS)

    @property
    def port(self):
        return self.server_address[1]


@contextmanager
def serve_mail():
    """Serve until the block ends."""
    with MailServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
