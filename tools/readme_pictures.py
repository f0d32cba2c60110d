"""Draw the picture of the README: ``python -m tools.readme_pictures``."""

from __future__ import annotations

from pathlib import Path

import dirframe

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "_static" / "language_share.png"

if __name__ == "__main__":
    with dirframe.sample_directory() as directory:
        projects = dirframe.load_projects(directory, progress=False)
    dirframe.plot.language_share(projects, top=10).figure.savefig(PICTURE, dpi=150)
