"""Trust X-Forwarded headers of a proxy, and of no other client."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from werkzeug.middleware.proxy_fix import ProxyFix

from dirframe.errors import ConfigurationError
from dirframe.service.addresses import parse_address

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


def behind_proxy(app: WSGIApplication, trusted_proxy: str | None) -> WSGIApplication:
    """Wrap `app` for use behind a proxy.

    Parameters
    ----------
    app
        The application.
    trusted_proxy
        Address or network of the proxy, or None. Its X-Forwarded-For (the last address),
        -Proto, -Host and -Prefix headers are applied; those of other clients are ignored.

    Returns
    -------
    WSGIApplication
        The application, with the client as REMOTE_ADDR and the path prefix as SCRIPT_NAME.

    Raises
    ------
    ConfigurationError
        `trusted_proxy` is not an IP address or network.
    """
    if trusted_proxy is None:
        return app
    try:
        trusted = ipaddress.ip_network(trusted_proxy, strict=False)
    except ValueError:
        raise ConfigurationError(
            f"The trusted proxy is {trusted_proxy!r}; it must be an IP address or a network, "
            "such as 127.0.0.1 or 10.0.0.0/8."
        ) from None
    forwarded_app = ProxyFix(_restore_address(app), x_for=1, x_proto=1, x_host=1, x_prefix=1)

    def wrapped(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        peer = parse_address(environ.get("REMOTE_ADDR", ""))
        is_trusted = peer is not None and peer in trusted
        return (forwarded_app if is_trusted else app)(environ, start_response)

    return wrapped


def _restore_address(app: WSGIApplication) -> WSGIApplication:
    """Wrap `app` to restore the proxy's address if the proxy sends no valid client address."""

    def wrapped(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if parse_address(environ["REMOTE_ADDR"]) is None:
            environ["REMOTE_ADDR"] = environ["werkzeug.proxy_fix.orig"]["REMOTE_ADDR"]
        return app(environ, start_response)

    return wrapped
