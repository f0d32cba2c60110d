"""Write a synthetic directory: ``python -m tools.synthetic FOLDER``.

The defaults write the bundled sample again, in two folders: ``data``, and ``rehearsal`` with what only
a rehearsal for the live service has (``--organizations``).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.synthetic.accounts import account
from tools.synthetic.generate import generate, generate_projects
from tools.synthetic.organizations import write_organizations

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tools.synthetic", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--accounts", type=int, default=2_000)
    parser.add_argument("--projects", type=int, default=1_500)
    parser.add_argument("--organizations", action="store_true", help="write organizations alone")
    given = parser.parse_args()
    if given.organizations:
        projects = list(generate_projects(given.projects))
        write_organizations(given.folder, projects, list(map(account, range(given.accounts))))
    else:
        generate(given.folder, accounts=given.accounts, projects=given.projects)
