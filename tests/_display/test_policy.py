"""A page may run the scripts that it was made with, and no other."""

from __future__ import annotations

from dirframe._display.policy import policy


def test_a_page_without_scripts_runs_none() -> None:
    assert policy() == "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def test_each_script_is_allowed_once_by_the_sum_of_its_text() -> None:
    # printf 'alert(1)' | openssl dgst -sha256 -binary | base64
    known = "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"
    html = "<p>text</p><script type='x'>alert(1)</script><script>alert(1)</script>"
    assert policy(html).endswith(f"script-src {known}")
