"""Which authorities are trusted to sign the directory's certificate."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import TYPE_CHECKING

from dirframe.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["trusted_certificates"]

#: The first that is set counts: those of requests and curl, then those of OpenSSL.
_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")


def trusted_certificates(environment: Mapping[str, str]) -> str | None:
    """Return the file or folder of certificates that the environment names.

    Parameters
    ----------
    environment
        The variables.

    Returns
    -------
    str or None
        Its path; None for the certificates of certifi, which requests brings.

    Raises
    ------
    ConfigurationError
        If there is nothing at the path, or the file holds no certificate.
    """
    name = next((name for name in _VARIABLES if environment.get(name)), None)
    if name is None:
        return None
    path = Path(environment[name])
    wrong = "" if path.exists() else "does not exist"
    if path.is_file():
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
        except OSError as error:
            wrong = f"cannot be read as certificates in PEM ({error.strerror or error})"
    if wrong:
        raise ConfigurationError(
            f"{name} is {str(path)!r}, which {wrong}. Set it to a PEM file with the certificates "
            "of the authorities that you trust, or unset it to trust the usual ones."
        )
    return str(path)
