"""The tools make the data of the sample and of the rehearsal again, byte for byte."""

import gzip

from dirframe._files import data_folder
from tools.synthetic.accounts import account
from tools.synthetic.generate import generate, generate_projects
from tools.synthetic.organizations import write_organizations


def contents_of(folder):
    """Return the content of each packed file, by its path in the folder."""
    files = folder.rglob("*.xml.gz")
    return {file.relative_to(folder): gzip.decompress(file.read_bytes()) for file in files}


def test_sample_data_are_made_again(root, tmp_path):
    generate(tmp_path, accounts=2_000, projects=1_500)
    made, kept = contents_of(tmp_path), contents_of(root / "data")
    assert made.keys() == kept.keys()
    changed = [name for name in made if made[name] != kept[name]]
    assert changed == [], "run python -m tools.synthetic data"


def test_files_of_the_rehearsal_are_made_again(tmp_path):
    write_organizations(tmp_path, list(generate_projects(1_500)), list(map(account, range(2_000))))
    kept = data_folder("rehearsal")
    made = {path.relative_to(tmp_path): path for path in tmp_path.rglob("*.xml.gz")}
    assert made.keys() == {path.relative_to(kept) for path in kept.rglob("*.xml.gz")}
    differing = [
        str(name)
        for name, path in made.items()
        if gzip.decompress(path.read_bytes()) != gzip.decompress((kept / name).read_bytes())
    ]
    assert differing == [], "run python -m tools.synthetic rehearsal --organizations"
