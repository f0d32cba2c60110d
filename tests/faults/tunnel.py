"""A proxy that does what one does for HTTPS: CONNECT, and then bytes both ways."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class Tunnel:
    """Serves until it is closed.

    Attributes
    ----------
    connected
        Where it was told to connect to.
    refuses
        Whether it answers every CONNECT with 407.
    """

    def __init__(self, *, refuses: bool = False) -> None:
        self.connected: list[str] = []
        self.heard = b""
        self.refuses = refuses
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        tunnel = self

        class Handler(BaseHTTPRequestHandler):
            def do_CONNECT(self) -> None:
                tunnel.connected.append(self.path)
                if tunnel.refuses:
                    self.send_error(407)
                    return
                host, _, port = self.path.rpartition(":")
                with socket.create_connection((host, int(port))) as there:
                    self.send_response(200)
                    self.end_headers()
                    back = threading.Thread(target=self._carry, args=(there, self.connection))
                    back.start()
                    self._carry(self.connection, there, note=True)
                    back.join()

            def _carry(
                self, here: socket.socket, there: socket.socket, *, note: bool = False
            ) -> None:
                with suppress(OSError):
                    while content := here.recv(65_536):
                        if note:
                            tunnel.heard += content
                        there.sendall(content)
                with suppress(OSError):
                    there.shutdown(socket.SHUT_WR)

            def log_message(self, *args: Any) -> None:
                pass

        return Handler
