"""Write a synthetic directory: ``python -m tools.synthetic FOLDER``.

The defaults write the bundled sample again.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.synthetic.generate import SEED, generate


def main() -> None:
    """Read the options and write the files."""
    parser = argparse.ArgumentParser(prog="python -m tools.synthetic", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--accounts", type=int, default=2_000)
    parser.add_argument("--projects", type=int, default=1_500)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    generate(options.folder, **{k: v for k, v in vars(options).items() if k != "folder"})


if __name__ == "__main__":
    main()
