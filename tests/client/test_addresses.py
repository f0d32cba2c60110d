"""Canonical addresses of repositories: spellings with their answers."""

import pytest

from dirframe.client.addresses import canonical_repository

GITHUB = "https://github.com/owner/name"
SAVANNAH = "https://git.savannah.gnu.org/git/emacs"
SOURCEFORGE = "https://git.code.sf.net/p/project/code"

#: The address as it is sent, and what it is; None: it cannot be read.
SPELLINGS = {
    # One repository of GitHub
    "https://github.com/owner/name": GITHUB,
    "https://github.com/owner/name.git": GITHUB,
    "https://github.com/owner/name/": GITHUB,
    "https://github.com/owner/name.git/": GITHUB,
    "http://github.com/owner/name": GITHUB,
    "http://www.github.com/owner/name.git": GITHUB,
    "https://GitHub.com/owner/name": GITHUB,
    "HTTPS://github.com/owner/name": GITHUB,
    "https://github.com:443/owner/name": GITHUB,
    "https://github.com//owner//name": GITHUB,
    "git://github.com/owner/name.git": GITHUB,
    "git://github.com/owner/name": GITHUB,
    "git://github.com:9418/owner/name.git": GITHUB,
    "ssh://git@github.com/owner/name.git": GITHUB,
    "ssh://git@ssh.github.com:443/owner/name.git": GITHUB,
    "git@github.com:owner/name.git": GITHUB,
    "git@github.com:/owner/name.git": GITHUB,
    "github.com:owner/name.git": GITHUB,
    "github.com/owner/name": GITHUB,
    "git+ssh://git@github.com/owner/name.git": GITHUB,
    "git+https://github.com/owner/name.git": GITHUB,
    "https://someone:secret@github.com/owner/name.git": GITHUB,
    "https://token@github.com/owner/name": GITHUB,
    "https://github.com/owner/name/tree/main": GITHUB,
    "https://github.com/owner/name/trunk": GITHUB,
    "https://github.com/owner/name?ref=main": GITHUB,
    "https://github.com/owner/name#readme": GITHUB,
    "svn+https://github.com/owner/name/trunk": GITHUB,
    "  git://github.com/owner/name.git\n": GITHUB,
    # Case stays, and a name may hold points
    "git://github.com/Owner/Na.Me.git": "https://github.com/Owner/Na.Me",
    "https://github.com/owner/owner.github.io": "https://github.com/owner/owner.github.io",
    # Other hosts that are known
    "https://gitlab.com/group/name.git": "https://gitlab.com/group/name",
    "git@gitlab.com:group/team/name.git": "https://gitlab.com/group/team/name",
    "https://gitlab.com/group/team/name/-/tree/main": "https://gitlab.com/group/team/name",
    "https://gitlab.com/group/name/tree/main/src": "https://gitlab.com/group/name",
    "ssh://git@altssh.gitlab.com:443/group/name.git": "https://gitlab.com/group/name",
    "https://gitlab.gnome.org/GNOME/gimp.git": "https://gitlab.gnome.org/GNOME/gimp",
    "https://bitbucket.org/owner/name": "https://bitbucket.org/owner/name",
    "ssh://hg@bitbucket.org/owner/name": "https://bitbucket.org/owner/name",
    "https://bitbucket.org/owner/name/src/master/": "https://bitbucket.org/owner/name",
    "git@codeberg.org:owner/name.git": "https://codeberg.org/owner/name",
    "https://git.sr.ht/~owner/name": "https://git.sr.ht/~owner/name",
    "git://git.savannah.gnu.org/emacs.git": SAVANNAH,
    "git://git.sv.gnu.org/emacs.git": SAVANNAH,
    "https://git.savannah.gnu.org/git/emacs.git": SAVANNAH,
    "http://git.savannah.gnu.org/r/emacs.git": SAVANNAH,
    "ssh://git.savannah.gnu.org/srv/git/emacs.git": SAVANNAH,
    "http://git.savannah.gnu.org/cgit/emacs.git": SAVANNAH,
    "git://git.code.sf.net/p/project/code": SOURCEFORGE,
    "https://git.code.sf.net/p/project/code.git": SOURCEFORGE,
    "ssh://someone@git.code.sf.net/p/project/code": SOURCEFORGE,
    # Hosts of which nothing is known keep their scheme
    "svn://svn.example.org/name/trunk/": "svn://svn.example.org/name/trunk",
    "http://svn.example.org/repos/name": "http://svn.example.org/repos/name",
    "https://svn.code.sf.net/p/project/code/trunk": "https://svn.code.sf.net/p/project/code/trunk",
    "https://git.example.org:8443/team/name.git": "https://git.example.org:8443/team/name",
    "http://git.example.org/?p=name.git": None,
    "http://git.example.org/gitweb?p=name.git": "http://git.example.org/gitweb?p=name.git",
    "git@git.example.org:team/name.git": "ssh://git.example.org/team/name",
    "ssh://git@git.example.org:2222/name.git": "ssh://git.example.org:2222/name",
    "git://127.0.0.1/name.git": "git://127.0.0.1/name",
    ":pserver:anonymous@cvs.example.org:/cvs/name": "pserver://cvs.example.org/cvs/name",
    ":pserver:anonymous:secret@cvs.example.org:2401/cvs": "pserver://cvs.example.org:2401/cvs",
    ":ext:someone@cvs.example.org:/cvs/name": "ext://cvs.example.org/cvs/name",
    "lp:name": "https://launchpad.net/name",
    "lp:~owner/name/trunk": "https://launchpad.net/~owner/name/trunk",
    "bzr://bzr.example.org/name": "bzr://bzr.example.org/name",
    # What cannot be read
    "": None,
    "   ": None,
    "N/A": None,
    "name": None,
    "/srv/git/name.git": None,
    "file:///srv/git/name.git": None,
    r"C:\repositories\name": None,
    "https://": None,
    "https:///owner/name": None,
    "https://github.com": None,
    "https://github.com/owner": None,
    "https://github.com/owner/.git": None,
    "https://example.org": None,
    "example.org/name.git": None,
    "https://example.org:port/name": None,
    "https://[::1/name": None,
    "https://example.org/../name": None,
    "git clone https://github.com/owner/name": None,
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_canonical_address_of_a_repository(spelling):
    found = canonical_repository(spelling)
    assert (found and found.address) == SPELLINGS[spelling]


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        (GITHUB, ("github.com", "owner", "name")),
        ("https://gitlab.com/group/team/name", ("gitlab.com", "group/team", "name")),
        (SAVANNAH, ("git.savannah.gnu.org", "git", "emacs")),
        (SOURCEFORGE, ("git.code.sf.net", "p/project", "code")),
        ("svn://svn.example.org/name", ("svn.example.org", "", "name")),
        ("https://git.example.org:8443/team/name", ("git.example.org", "team", "name")),
    ],
)
def test_canonical_address_has_host_owner_and_name(address, parts):
    assert canonical_repository(address)[1:] == parts


@pytest.mark.parametrize("spelling", [one for one in SPELLINGS if SPELLINGS[one]])
def test_canonical_address_is_its_own_canonical_address(spelling):
    address = SPELLINGS[spelling]
    assert canonical_repository(address).address == address
