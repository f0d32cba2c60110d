"""The pages of documentation name everything there is; `make docs` builds and checks them."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

import dirframe
from dirframe import errors
from dirframe.charts import CHARTS
from dirframe.cli import EXIT_CODES, cli
from dirframe.client.http.retry import RetryPolicy
from dirframe.schema import RESOURCES
from dirframe.schema.extensions import ALL_RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    import pandas as pd

DOCS = Path(__file__).resolve().parent.parent / "docs"
README = DOCS.parent / "README.md"


@pytest.fixture(scope="module", autouse=True)
def _in_the_folder_of_the_pages() -> Iterator[None]:
    """Import the pages' own modules as Sphinx does, and leave none of them behind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        yield
    for name in ("checks", "names", "pictures", "tables"):
        sys.modules.pop(name, None)


@pytest.fixture
def names() -> ModuleType:
    return import_module("names")


@pytest.fixture
def tables() -> ModuleType:
    return import_module("tables")


@pytest.fixture
def checks() -> ModuleType:
    return import_module("checks")


@pytest.fixture
def pictures() -> ModuleType:
    return import_module("pictures")


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_every_public_name_is_in_one_theme_of_the_reference(names: ModuleType) -> None:
    listed = [name for theme in names.themes().values() for name in theme]
    modules = {"plot": dirframe.plot, "stats": dirframe.stats}
    public = {name for name in dirframe.__all__ if name not in modules}
    for module, content in modules.items():
        public |= {f"{module}.{name}" for name in content.__all__}
    assert len(listed) == len(set(listed))
    beyond = {name for name in listed if name.startswith("provenance.")}
    assert {*listed, *names.CONSTANTS} - beyond == public


def test_every_theme_has_its_page_and_every_constant_its_description(names: ModuleType) -> None:
    pages = "\n".join(file.read_text(encoding="utf-8") for file in (DOCS / "api").glob("*.md"))
    for theme in names.themes():
        assert f"{{{{ api_{theme} }}}}" in pages
    for name in names.CONSTANTS:
        assert f".. py:data:: dirframe.{name}\n" in pages


def test_a_theme_lists_each_name_with_its_first_line_and_its_docstring(names: ModuleType) -> None:
    text = names.reference("overview")
    first = (dirframe.cite.__doc__ or "").splitlines()[0].rstrip(".")
    assert f"| {{py:obj}}`cite <dirframe.cite>` | {first}" in text
    assert ".. autofunction:: dirframe.compare\n" in text
    assert ".. autoclass:: dirframe.Directory\n   :members:" in names.reference("loading")
    assert ".. autoexception:: dirframe.CacheError\n" in names.reference("errors")


def test_every_error_and_warning_has_its_section_on_what_to_do() -> None:
    text = page("howto/failing.md")
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL))
    assert set(sections) == set(errors.__all__) - {"Hint"}  # what to do is what the sections say
    for name, body in sections.items():
        assert f"{{{{ {name} }}}}" in body


def test_the_codes_that_are_tried_again_are_named() -> None:
    policy = RetryPolicy(retries=1, backoff=0, max_pause=0)
    codes = [str(code) for code in range(400, 600) if policy.is_temporary(code)]
    text = page("howto/failing.md")
    assert f"| {', '.join(codes)} | yes" in text
    assert f"{', '.join(codes[:-1])} and {codes[-1]} are retried" in text


def test_the_data_dictionary_has_every_field(tables: ModuleType) -> None:
    found, text = tables.substitutions(), page("reference/fields.md")
    for resource in ALL_RESOURCES.values():
        assert f"{{{{ fields_{resource.name} }}}}" in text
        table = found[f"fields_{resource.name}"]
        for field in resource.fields:
            assert f"\n| `{field.column}` | {field.meaning} | `" in table
            if field.items:
                entry = f"fields_{resource.name}_{field.path[-1]}"
                assert f"{{{{ {entry} }}}}" in text
                for inner in field.items.fields:
                    assert f"| `{inner.column}` |" in found[entry]


def test_the_data_dictionary_has_the_types_of_real_frames(tables: ModuleType) -> None:
    with dirframe.sample_directory() as directory:
        frame = dirframe.load_projects(max_items=5, directory=directory, progress=False)
    rows = tables.substitutions()["fields_project"].splitlines()[2:]
    stated = {cells[1].strip(" `"): cells[3].strip(" `") for cells in (r.split("|") for r in rows)}
    for field in RESOURCES["project"].specified:
        assert stated[field.column] == str(frame[field.column].dtype)


def test_every_exit_code_is_on_the_page_of_the_command_line(tables: ModuleType) -> None:
    table = tables.substitutions()["exit_codes"]
    assert "{{ exit_codes }}" in page("reference/cli.md")
    for error, code in EXIT_CODES.items():
        assert f"| {code} | {{py:exc}}`~dirframe.{error.__name__}` |" in table


def test_every_command_is_on_one_page_of_the_command_line() -> None:
    pages = (DOCS / "reference" / "commands").glob("*.rst")
    texts = [path.read_text(encoding="utf-8") for path in pages]
    directives = re.findall(r"click:: ([\w.]+):(\w+)\n +:prog: dirframe (\w+)", "".join(texts))
    described = {
        name: getattr(import_module(home), attribute) for home, attribute, name in directives
    }
    assert described == cli.commands
    assert len(directives) == len(described)


def test_the_check_of_built_pages_finds_what_loads_or_leads_nowhere(
    checks: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "good.html").write_text(
        '<h1 id="top">x</h1><a href="#top"></a><a href="https://elsewhere.example/">prose</a>'
    )
    assert checks.findings(tmp_path) == []
    (tmp_path / "bad.html").write_text(
        '<script src="https://cdn.example/a.js"></script><img src="//cdn.example/b.png">'
        "<style>@import 'https://cdn.example/c.css';</style>"
        '<script>load("https://cdn.example/d.js")</script>'
        '<a href="gone.html"></a><a href="good.html#nothing"></a>'
    )
    (tmp_path / "bad.css").write_text("a { background: url(https://cdn.example/e.png) }")
    found = "\n".join(checks.findings(tmp_path))
    for loaded in ("a.js", "b.png", "c.css", "d.js", "e.png"):
        assert f"cdn.example/{loaded}" in found
    assert "gone.html, which is not there" in found
    assert "good.html#nothing, where nothing is called nothing" in found
    assert len(found.splitlines()) == 7


def test_the_check_does_not_take_an_empty_folder_for_good_pages(
    checks: ModuleType, tmp_path: Path
) -> None:
    assert checks.findings(tmp_path) == [f"{tmp_path} holds no page"]


def test_the_gallery_draws_every_chart_by_the_line_that_it_shows(
    pictures: ModuleType, tmp_path: Path
) -> None:
    assert "{{ gallery }}" in page("gallery.md")
    assert "{{ loads }}" in page("gallery.md")
    text = pictures.gallery("charts")
    pictures.draw(tmp_path)
    for name, chart in CHARTS.items():
        assert f"{{py:func}}`{chart.title} <dirframe.plot.{name}>`" in text
        assert f"\n{pictures.call(name)}\n" in text
        assert (tmp_path / f"{name}.png").stat().st_size > 5_000


def test_the_notebooks_and_the_pages_are_all_on_the_way_through_them() -> None:
    linked = "\n".join(page(name) for name in ("index.md", "guide.md"))
    for notebook in (DOCS.parent / "notebooks").glob("*.ipynb"):
        assert f"(guide/{notebook.name})" in linked


def test_the_code_of_the_readme_runs_as_written() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    cast("dirframe.Directory", names["directory"]).close()
    assert len(cast("pd.DataFrame", names["projects"])) == 1_500


def test_every_link_of_the_readme_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)]+)\)", README.read_text(encoding="utf-8"))
    here = [link for link in links if not link.startswith("https://")]
    assert len(here) > 10
    assert [link for link in here if not (README.parent / link).exists()] == []
