"""Canonical addresses of repositories, by which the same one is found in other data sets."""

# A repository of a host that is known has one address, https://host/path, whatever way it is reached by:
#
#   git://github.com/owner/name.git             https://github.com/owner/name
#   git@github.com:owner/name.git               https://github.com/owner/name
#   https://github.com/owner/name/tree/main     https://github.com/owner/name
#   https://gitlab.com/group/team/name.git      https://gitlab.com/group/team/name
#   git://git.sv.gnu.org/name.git               https://git.savannah.gnu.org/git/name
#
# That of another host keeps its scheme, for nobody knows whether others lead to the same:
#
#   svn://svn.example.org/name/trunk/           svn://svn.example.org/name/trunk
#   git@git.example.org:team/name.git           ssh://git.example.org/team/name
#   :pserver:anonymous@cvs.example.org:/cvs/name    pserver://cvs.example.org/cvs/name
#
# Case stays: some hosts tell owner/name from Owner/Name. What cannot be read has none: an empty text, a
# file of somebody's machine, a host alone, a person's page on a host that is known.

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit


class Repository(NamedTuple):
    """The canonical address of a repository and its parts."""

    address: str
    host: str
    owner: str  # all steps of the path but the last one; empty if there are no others
    name: str  # the last one


@dataclass(frozen=True, slots=True, kw_only=True)
class _Host:
    """A host whose repositories have one address each."""

    name: str
    steps: int | None = 2  # of the path of a repository; None: at least two, up to a page's own
    prefix: tuple[str, ...] = ()  # steps before these
    prefixes: tuple[tuple[str, ...], ...] = ()  # other ones, which mean the same


#: With the groups of GitLab, of any depth.
_NESTED = (
    "gitlab.com",
    "gitlab.freedesktop.org",
    "gitlab.gnome.org",
    "framagit.org",
    "invent.kde.org",
    "salsa.debian.org",
)
_SAVANNAH = ("git.savannah.gnu.org", "git.savannah.nongnu.org")
_OF_SAVANNAH = (("srv", "git"), ("cgit",), ("r",))
_HOSTS = [
    *(_Host(name=name, steps=None) for name in _NESTED),
    _Host(name="github.com"),
    _Host(name="bitbucket.org"),
    _Host(name="codeberg.org"),
    _Host(name="gitea.com"),
    _Host(name="gitee.com"),
    _Host(name="git.sr.ht"),
    _Host(name="hg.sr.ht"),
    _Host(name="notabug.org"),
    _Host(name="opendev.org"),
    _Host(name="git.code.sf.net", steps=2, prefix=("p",)),
    _Host(name="hg.code.sf.net", steps=2, prefix=("p",)),
    *(_Host(name=name, steps=1, prefix=("git",), prefixes=_OF_SAVANNAH) for name in _SAVANNAH),
]
_BY_NAME = {host.name: host for host in _HOSTS}
#: Other names of hosts.
_ALIASES = {
    "altssh.bitbucket.org": "bitbucket.org",
    "altssh.gitlab.com": "gitlab.com",
    "git.sv.gnu.org": "git.savannah.gnu.org",
    "git.sv.nongnu.org": "git.savannah.nongnu.org",
    "ssh.github.com": "github.com",
}
#: Steps that begin what a host shows of a repository, in the addresses of its pages.
_PAGES = {"-", "blob", "branches", "commit", "commits", "raw", "src", "tree"}

_DEFAULT_PORTS = {"http": 80, "https": 443, "git": 9418, "ssh": 22, "svn": 3690, "ftp": 21}
#: Of which the part before + is the system, and the rest what carries it.
_CARRIED = re.compile(r"(?:git|hg|bzr)\+(?=https?://|ssh://)", re.IGNORECASE)
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_CVS = re.compile(r":(?P<method>[a-z]+)(?:;[^:]*)?:(?P<rest>[^/]*[:/].*)", re.IGNORECASE)
_CVS_ROOT = re.compile(r"(?:[^@/]*@)?(?P<host>[^:/@]+):?(?P<port>\d*)(?P<path>/.*)")
#: As ssh and scp write it. A single letter before the colon is a drive.
_SCP = re.compile(r"(?:[^@:/\s]+@)?(?P<host>[^@:/\s]{2,}):(?!//)(?P<path>.+)")
_WITHOUT_SCHEME = re.compile(r"(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?P<path>/.+)", re.IGNORECASE)
_LAUNCHPAD = re.compile(r"lp:/*(?P<path>[^:]+)", re.IGNORECASE)
_HOST_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]")
_BAD = re.compile(r"[\x00-\x20\x7f\\]")


def canonical_repository(address: str) -> Repository | None:
    """Return the canonical address of a repository; None if the text cannot be read as one."""
    text = address.strip()
    if _BAD.search(text):
        return None
    try:
        parts = urlsplit(_as_url(text))
        port = parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    name = (parts.hostname or "").removeprefix("www.").removesuffix(".")
    shown = f"[{name}]" if ":" in name else name
    steps = [step for step in parts.path.split("/") if step not in {"", "."}]
    if scheme in {"", "file"} or not _HOST_NAME.fullmatch(shown) or ".." in steps:
        return None
    host = _BY_NAME.get(_ALIASES.get(name, name))
    if host is not None:
        return _repository(f"https://{host.name}", host.name, _steps_on(host, steps))
    if port is not None and port != _DEFAULT_PORTS.get(scheme):
        shown += f":{port}"
    # A page of gitweb or ViewVC names the repository in its query.
    query = f"?{parts.query}" if parts.query else ""
    steps = [*steps[:-1], *filter(None, [step.removesuffix(".git") for step in steps[-1:]])]
    return _repository(f"{scheme}://{shown}", name, steps, query)


def _as_url(text: str) -> str:
    """Return an address in one of the forms of version control systems as a URL."""
    text = _CARRIED.sub("", text, count=1)
    if _URL.match(text):
        return text
    launchpad = _LAUNCHPAD.fullmatch(text)
    if launchpad:
        return f"https://launchpad.net/{launchpad['path']}"
    cvs = _CVS.fullmatch(text)
    if cvs:
        root = _CVS_ROOT.fullmatch(cvs["rest"])
        if root is None:
            raise ValueError(text)
        port = f":{root['port']}" if root["port"] else ""
        return f"{cvs['method'].lower()}://{root['host']}{port}{root['path']}"
    scp = _SCP.fullmatch(text)
    if scp:
        return f"ssh://{scp['host']}/{scp['path'].lstrip('/')}"
    bare = _WITHOUT_SCHEME.fullmatch(text)
    if bare and _known(bare["host"]):
        return f"https://{text}"
    raise ValueError(text)


def _known(host: str) -> bool:
    name = host.lower().removeprefix("www.")
    return _ALIASES.get(name, name) in _BY_NAME


def _steps_on(host: _Host, steps: list[str]) -> list[str]:
    """Return the path of a repository on a host, of an address that may be one of its pages."""
    for prefix in (host.prefix, *host.prefixes):
        if prefix and tuple(steps[: len(prefix)]) == prefix:
            steps = steps[len(prefix) :]
            break
    if host.steps is None:
        ends = [index for index, step in enumerate(steps) if index >= 2 and step in _PAGES]
        ends += [index + 1 for index, step in enumerate(steps) if step.endswith(".git")]
        steps = steps[: min(ends)] if ends else steps
        least = 2
    else:
        least = host.steps
        steps = steps[:least]
    if len(steps) < least:
        return []
    name = steps[-1].removesuffix(".git")
    return [*host.prefix, *steps[:-1], name] if name else []


def _repository(base: str, host: str, steps: list[str], query: str = "") -> Repository | None:
    if not steps:
        return None
    address = f"{base}/{'/'.join(steps)}{query}"
    return Repository(address, host, "/".join(steps[:-1]), steps[-1])
