"""What a study holds of organizations, their people and repositories."""

import warnings
import zipfile

import dirframe


def columns_of(frame, folder):
    """Return the columns that a study holds of a frame, and the warnings of the export."""
    file = folder / "study.zip"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dirframe.export({"table": frame}, file)
    with zipfile.ZipFile(file) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith(".csv") and "table" in n]
        header = archive.read(name).decode("utf-8-sig").splitlines()[0]
    return header.replace('"', "").split(","), [str(one.message) for one in caught]


def test_study_holds_portfolios_and_repositories_as_they_are(rehearsal, tmp_path):
    portfolio = dirframe.load_portfolio(["harbour", "orchard"], directory=rehearsal)
    assert columns_of(portfolio, tmp_path) == ([*portfolio], [])
    (tmp_path / "study.zip").unlink()
    repositories = dirframe.load_repositories([50, 633], directory=rehearsal)
    assert columns_of(repositories, tmp_path) == ([*repositories], [])
    (tmp_path / "study.zip").unlink()
    enlistments = dirframe.load("enlistments", of=[50, 633], directory=rehearsal)
    assert columns_of(enlistments, tmp_path) == ([*enlistments], [])


def test_study_of_people_of_organizations_leaves_their_names_out(rehearsal, tmp_path):
    people = dirframe.load("affiliated_committers", of="orchard", directory=rehearsal)
    columns, _ = columns_of(people, tmp_path)
    assert columns == [name for name in people if name != "name"]
