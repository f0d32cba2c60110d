"""Every chart of the package, drawn from the sample for the gallery and for the reference."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt

import dirframe
from dirframe.charts import CHARTS

if TYPE_CHECKING:
    from pathlib import Path

#: Project of the sample whose months and contributors are drawn.
PROJECT = "633"
#: The line that loads the frame of each collection.
LOADS = {
    "projects": "projects = dirframe.load_projects(directory)",
    "accounts": "accounts = dirframe.unify_countries(dirframe.load_accounts(directory))",
    "activity": f'activity = dirframe.load_activity("{PROJECT}", directory=directory)',
    "contributors": f'contributors = dirframe.load_contributors("{PROJECT}", directory=directory)',
}
#: What draws it where ten or so entries are more to the point than all.
TOP = 10


def call(name: str) -> str:
    """Give the code of a chart."""
    chart = CHARTS[name]
    has_top = "top" in inspect.signature(getattr(dirframe.plot, name)).parameters
    options = f", top={TOP}" if has_top else ""
    return f"plot.{name}({chart.collection or 'projects'}{options})"


def draw(folder: Path) -> None:
    """Draw each chart into a folder, as a PNG file of its own name."""
    folder.mkdir(parents=True, exist_ok=True)
    names: dict[str, object] = {"dirframe": dirframe, "plot": dirframe.plot}
    with dirframe.sample_directory() as directory:
        exec("\n".join(LOADS.values()), names | {"directory": directory}, names)  # noqa: S102  # what the page shows is what is run
    for name in CHARTS:
        axes = eval(call(name), names)  # noqa: S307  # as above
        axes.figure.savefig(folder / f"{name}.png", dpi=110)
        plt.close(axes.figure)


def loads() -> str:
    """Give the code that loads the frames of all charts."""
    imports = ["import dirframe", "from dirframe import plot", ""]
    directory = "directory = dirframe.sample_directory()"
    return "\n".join(["```python", *imports, directory, *LOADS.values(), "```"])


def gallery(folder: str) -> str:
    """Give all charts as a grid of thumbnails with their code, linked to the reference."""
    cards = [_card(name, folder) for name in CHARTS]
    return "\n".join(["::::{grid} 1 2 2 3", ":gutter: 3", "", *cards, "::::"])


def _card(name: str, folder: str) -> str:
    title = CHARTS[name].title
    return f""":::{{grid-item-card}}
{{py:func}}`{title} <dirframe.plot.{name}>`

![{title}]({folder}/{name}.png)

```python
{call(name)}
```
:::
"""
