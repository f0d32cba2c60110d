"""Generate synthetic accounts."""

# No measured figures of accounts exist: shares, growth and skew are chosen so that the collection
# resembles a world-wide directory of its time.

from __future__ import annotations

from hashlib import md5, sha1
from typing import Any

from tools.synthetic import people
from tools.synthetic._time import DAY, SNAPSHOT, stamp
from tools.synthetic.calibration import CURVES, YEARS
from tools.synthetic.distributions import (
    Draw,
    WeightedChoice,
    edge_cases,
    permute,
    pick,
    read_table,
    record_random,
)

_STREAM = 2

#: The account whose e-mail address is documented, for examples of the lookup.
_ADA = read_table("peculiar.toml")["ada"]

_WITHOUT_LOCATION = 0.33
_HOPELESS = 0.035
_HOPELESS_CODE = 0.25
_WITHOUT_CODE = 0.03
_WITH_HOMEPAGE = 0.3
_NEVER_MODIFIED = 0.2

_SCORED = 0.73
_SCORED_NEW = 0.35
_NEW = 400 * DAY
#: Last position of each kudo rank, 10 to 2, among 2**20 positions; the others have rank 1.
_LAST_PLACES = tuple(
    (int(share * 2**20), str(10 - step))
    for step, share in enumerate((0.004, 0.012, 0.03, 0.06, 0.10, 0.15, 0.21, 0.28, 0.38))
)
_SCHEME = WeightedChoice({"http": 4, "https": 1})


def address(index: int) -> str:
    """Return the synthetic e-mail address of an account; only its digests are written."""
    return f"member{index + 1}@example.org" if index else "ada@example.org"


def account(index: int) -> dict[str, Any]:
    """Generate the account at an index."""
    rng = record_random(_STREAM, index)
    draw = rng.random
    country = people.COUNTRIES.at(draw())
    created = int(YEARS["account_created"].at(draw()))
    updated = created
    if draw() >= _NEVER_MODIFIED:
        updated += int((SNAPSHOT - 1 - created) * draw() ** 2)
    mail = address(index).encode()
    number = str(index + 1)
    record: dict[str, Any] = {
        "id": number,
        "name": people.person(country, draw),
        "created_at": stamp(created),
        "updated_at": stamp(updated),
        "homepage_url": _homepage(number, draw) if draw() < _WITH_HOMEPAGE else None,
        # Not the MD5 of the e-mail address, as in real directories: that is the lookup key.
        "avatar_url": f"https://avatars.invalid/{rng.getrandbits(64):016x}?s=80&d=identicon",
        "email_sha1": sha1(mail, usedforsecurity=False).hexdigest(),
        "posts_count": str(int(CURVES["posts"].at(draw()))),
        **dict.fromkeys(("location", "country_code", "latitude", "longitude")),
        **_whereabouts(country, draw),
        "kudo_score": _kudo(index, created, draw),
        "email_md5": md5(mail, usedforsecurity=False).hexdigest(),
    }
    record.update(edge_cases("account", index) if index else _ADA)
    return {name: value for name, value in record.items() if value is not None}


def _homepage(number: str, draw: Draw) -> str:
    kind = draw()
    if kind < 0.6:
        return f"{_SCHEME.at(draw())}://member{number}.example.org/"
    if kind < 0.85:
        return f"http://blog.example.net/~member{number}/?lang=en&feed=rss"
    return f"https://member{number}.invalid"


def _whereabouts(country: people.Country, draw: Draw) -> dict[str, Any]:
    kind = draw()
    if kind < _WITHOUT_LOCATION:
        return {}
    if kind < _WITHOUT_LOCATION + _HOPELESS:
        claimed = pick(people.HOPELESS, draw)
        return {"location": claimed, "country_code": claimed if draw() < _HOPELESS_CODE else None}
    claimed, (latitude, longitude) = people.location(country, draw)
    return {
        "location": claimed,
        "country_code": people.country_code(country, draw) if draw() >= _WITHOUT_CODE else None,
        "latitude": latitude,
        "longitude": longitude,
    }


def _kudo(index: int, created: int, draw: Draw) -> Any:
    if draw() >= (_SCORED_NEW if created > SNAPSHOT - _NEW else _SCORED):
        return None
    position = permute(index)
    rank = next((rank for last, rank in _LAST_PLACES if position <= last), "1")
    return {"kudo_rank": rank, "position": str(position)}
