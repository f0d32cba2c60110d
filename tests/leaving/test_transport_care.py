"""Certificates that OpenSSL's own variables name, and a key in any spelling."""

import ssl
from urllib.parse import quote
from xml.sax.saxutils import escape

import trustme

import dirframe
from tests.rig.server import MARK, Rig, numbered, record


def test_openssl_certificates_and_a_key_in_any_spelling_are_cared_for(tmp_path, monkeypatch):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    for variable in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    key = f"{MARK}&<é>{MARK}"
    twice = quote(quote(key, safe=""), safe="")
    numeric = "".join(f"&#{ord(character)};" for character in key)
    spelt = [f"<name>said {text} again</name>" for text in (escape(key), twice, numeric)]
    records = [record(one, inner=name) for one, name in zip(numbered(3), spelt, strict=True)]
    with Rig(records, key=key, tls=context) as rig:
        frame = dirframe.load_projects(rig.directory(tmp_path), progress=False)
    assert len(frame) == 3
    assert not frame["name"].str.contains(MARK).any()
    assert frame["name"].str.startswith("said ").all()
