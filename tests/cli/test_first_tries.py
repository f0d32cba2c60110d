"""What people type first gives the result, or a message that names what does it."""

import shlex

import pytest

import dirframe
from tests.rig.server import MARK, Rig, record
from tests.rig.today import Today

#: What is typed, and what the table or the text on standard output must hold.
ANSWERED = {
    "projects --demo --limit 3": "id,name,",
    "projects --demo -n 5 --where language=Java": "Java",
    "projects --demo -n 5 --where language=java": "Java",
    "projects --demo --where stack_count=1..5": "id,name,",
    "projects --demo --columns language": "analysis_main_language_name",
    "projects --demo --columns license,tag": "licenses,tags",
    "projects --demo --columns main-language-name": "analysis_main_language_name",
    "projects --demo --format json -n 2": '"name"',
    "projects 633 --demo": "633",
    "projects 633 714 --demo --columns name": "id,name",
    "projects --demo --plan": "projects on",
    "accounts --demo -n 3 --where country=Deutschland": "Germany",
    "accounts --demo --where country=USA": "United States",
    "accounts --demo --columns country": "country_code",
    "load languages": "nice_name",
    "load projects/633 --demo": "633",
    "load projects/633/contributors --demo": "contributor",
    "stats language-share projects.parquet": "language,",
    "stats language_share projects.parquet -n 10": "language,",
    "stats tags projects.parquet --where stack_count=1..": "tag,",
    "stats licenses projects.parquet --by language": "language",
    "flags projects.parquet": "rule",
    "flags --collection projects --demo": "rule",
    "compare projects.parquet again.parquet": "the same",
    "summary projects.parquet": "Columns",
    "summary projects.parquet -n 5": "5 projects",
    "cite projects.parquet": "Retrieved",
    "cite projects.parquet --style apa": "[Data set",
    "cite --collection projects --demo": "Retrieved",
    "quota": "left",
    "cache info": "Cache",
    "--version": "dirframe",
    "-h": "Exit codes",
    # Capital letters, and options of other tools
    "projects --demo --format CSV -n 1": "id,name,",
    "cite projects.parquet --style BibTeX": "@misc",
    "projects --demo --where 'language = Java' -n 2": "Java",
    "projects --demo -n 1 --columns 'name, licenses'": "id,name,licenses",
    "projects --demo -o - -n 1": "id,name,",
    "load --of 633 contributors --demo": "contributor",
}

#: Lines that differ from one of these in their spelling alone.
OTHER_SPELLINGS = {
    "projects --demo -n 20": "id,name,",
    "projects --demo --max-items 3": "id,name,",
    "projects --demo --columns total_code_lines": "analysis_total_code_lines",
    "accounts --demo -n 3 --where country=Germany": "Germany",
    "accounts --demo -n 3 --where country=germany": "Germany",
    "load /languages.xml": "nice_name",
    "load /languages": "nice_name",
    "load /projects/633 --demo": "633",
    "projects --demo --query=parser -n2": "id,name,",
}

#: What is typed, and what the message must name. No such line sends a request.
ANSWERED_WITH_THE_WAY = {
    # Commands
    "projcts": "'projects'",
    "explorer": "dirframe.Explorer()",
    "notebook": "import dirframe",
    "users": "dirframe accounts",
    "search parser": "dirframe projects --query",
    "organizations": "dirframe projects --organization",
    "contributors 633": "load contributors --of",
    "languages": "load /languages.xml",
    "chart language_share": "dirframe plot",
    "convert projects.csv": "dirframe export",
    "diff a.csv b.csv": "dirframe compare",
    "login": "DIRFRAME_API_KEY",
    "download projects": "dirframe harvest",
    "help": "dirframe --help",
    # Statistics and charts
    "stats languages": "'language_share'",
    "stats countries": "'accounts_by_country'",
    "stats license": "'licenses'",
    "stats bus-factor": "'commit_concentration'",
    "stats accounts_map": "dirframe plot",
    "stats projects.parquet language_share": "dirframe stats NAME projects.parquet",
    "stats language_share": "--collection projects",
    "stats growth projects.parquet -p frequency=YS": "freq",
    "plot languages projects.parquet": "'language_share'",
    "plot map": "'accounts_map'",
    "plot contributor_concentration": "dirframe stats",
    "plot tags projects.parquet -o tags.gif": ".svg",
    "plot tags projects.parquet --format png": "-o NAME.png",
    # Options
    "projects --language Java": "--where language=Java",
    "accounts --country Germany": "--where country=DE",
    "projects --licence mit": "--where license=mit",
    "projects --year 2008": "--where year=",
    "projects --api-key abc": "DIRFRAME_API_KEY",
    "load languages --key abc": "DIRFRAME_API_KEY",
    "projects --url https://d.example": "--base-url",
    "projects --json": "--format json",
    "projects --out p.csv": "-o FILE",
    "projects -o taken.csv --force": "--overwrite",
    "projects --dry-run": "--plan",
    "projects --top 5": "-n N",
    "projects --organisation acme": "--organization",
    "projects --ids ids.txt": "--ids-from",
    "projects projects.parquet": "--ids-from projects.parquet",
    "projects --columns lines": "analysis_total_code_lines",
    "projects --where langage=Java": "'language'",
    "projects --where language": "NAME=VALUE",
    "projects --sort stars": "stack_count_reverse",
    "stats tags projects.parquet --top 5": "-p top=10",
    "stats growth projects.parquet --group-by language": "--by COLUMN",
    "plot tags projects.parquet --title Tags": "-p title=TEXT",
    "cite projects.parquet --style ris": "--style bibtex",
    "cite projects.parquet --bibtex": "--style bibtex",
    # Files
    "export accounts.csv": "dirframe export accounts.csv TARGET",
    "export accounts.csv --overwrite": "dirframe export accounts.csv TARGET",
    "export projects.parquet p.docx": ".xlsx",
    "export projects.parquet study.zip --keep name": "TABLE.COLUMN",
    "report projects.parquet -o r.pdf": ".html",
    "report --details": "--collection projects",
    "summary": "--collection projects",
    "flags": "--collection projects",
    "clean projects.parquet": "country_code",
    "harvest projects kept.archive": "--to",
    "load contributors": "--of",
    "status projects.parquet": "archive",
    "serve people.csv": "accounts.csv",
    "keys add": "--developer",
    # Another spelling, another order, further words
    "project 633": "'projects'",
    "projects -demo": "It is --demo",
    "projects -n=5": "write -n 5",
    "projects -n five": "no whole number",
    "projects --sample 10%": "no whole number",
    "projects 633,714": "633 714",
    "projects 'Apache HTTP Server'": "--query 'Apache HTTP Server'",
    "projects --columns name licenses": "--columns name,licenses",
    "projects --where stack_count>5": "NAME=5..",
    "projects --where language:Java": "NAME=VALUE",
    "projects --where year=2008-2010": "2008..2010",
    "projects --format xlsx": "-o NAME.xlsx",
    "accounts ada": "dirframe accounts --query",
    "accounts --id 1": "dirframe load /accounts/ID.xml",
    "load contributors 633": "--of 633",
    "harvest projects kept.archive --plan": "--to",
    "compare projects.parquet": "AFTER",
    # Files in another place
    "stats language_share projects.parquet again.parquet": "-o FILE",
    "stats language_share https://d.example/projects.csv": "download it",
    "stats language_share 'C:\\projects.csv'": "C:\\projects.csv",
    "stats --list": "dirframe stats --help",
    "plot language_share projects.parquet chart.png": "-o NAME.png",
    "plot language_share projects.parquet -o chart": ".svg",
    "report projects.parquet report.html": "-o report.html",
    "export projects.parquet -o out.xlsx": "dirframe export FILE TARGET",
    "summary projects.parquet again.parquet": "dirframe compare",
    "clean accounts.csv --country location": "--column NAME",
    "flags projects.parquet --rule negative_lines": "--exclude RULE",
    "cite projects.parquet --format bibtex": "--style bibtex",
    # Habits of other tools
    "-v": "It is dirframe",
    "projects --version": "It is dirframe",
    "projects --verbose": "standard error",
    "projects -q": "standard error",
    "projects --no-color": "coloured",
    "projects --config c.toml": "DIRFRAME_BASE_URL",
    "cache clear --yes": "Nothing is asked",
    "cache clean": "'clear'",
    "keys revoke Ada": "no whole number",
}


@pytest.mark.parametrize(
    "lines",
    [ANSWERED, pytest.param(OTHER_SPELLINGS, marks=pytest.mark.slow)],
    ids=["first", "spellings"],
)
def test_first_tries_are_answered(lines, help_files, run):
    assert len(ANSWERED) + len(OTHER_SPELLINGS) + len(ANSWERED_WITH_THE_WAY) >= 56 + 60
    failures = []
    for line, part in lines.items():
        outcome = run(*shlex.split(line))
        if outcome.code or part not in outcome.out or "Traceback" in outcome.err:
            failures.append(f"{line}: {outcome.code}\n{outcome.out[:200]}\n{outcome.err}")
    assert not failures, "\n".join(failures)


def test_first_tries_that_cannot_be_meant_name_the_way(shell_rig, help_files, run):
    (help_files / "people.csv").write_text("Name,E-Mail,Country\nAda,a@b.example,DE\n")
    (help_files / "taken.csv").write_text("mine")
    failures = []
    for line, way in ANSWERED_WITH_THE_WAY.items():
        outcome = run(*shlex.split(line))
        message = outcome.err.partition(" --help' for help.\n")[2] or outcome.err
        is_wrong = outcome.code not in {2, 3, 9} or outcome.out or way not in message
        if is_wrong or shell_rig.requests or MARK in outcome.err:
            failures.append(f"{line}: {outcome.code} {outcome.out[:100]}\n{outcome.err}")
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("line", [line for line in ANSWERED_WITH_THE_WAY if "-" in line])
def test_ways_that_messages_name_are_options_of_the_command(line, run):
    """An option that a message names can be typed."""
    name, *_ = line.split()
    way = ANSWERED_WITH_THE_WAY[line]
    known = run(name, "--help").out
    options = [word for word in way.split() if word.startswith("-")]
    assert [option for option in options if option not in known] == []


# What they cost


def test_limit_with_a_condition_is_of_the_records_that_match(shell_rig, folder, run):
    shell_rig.add("project", [record(number, stack_count=number % 2) for number in range(1, 41)])
    words = ("projects", "--where", "stack_count=1", "--columns", "stack_count")
    outcome = run(*words, "-n", "3")
    assert outcome.table["id"].tolist() == ["1", "3", "5"], outcome.err
    assert "only stack count 1 · only the first 3" in outcome.err
    bounded = run(*words, "--max-items", "3")
    assert bounded.table["id"].tolist() == ["1", "3"]
    assert run("projects", "-n", "3").table["id"].tolist() == ["1", "2", "3"]


def test_limit_is_of_the_rows_of_a_file(files, folder, run):
    assert len(run("export", files / "projects.parquet", "few.csv", "-n", 7).out) == 0
    assert len(dirframe.read_table("few.csv")) == 7


@pytest.mark.parametrize("kind", [Rig, Today])
def test_named_projects_cost_two_requests_and_a_redirect(kind, folder, run, monkeypatch):
    with kind(55) as rig:
        monkeypatch.setenv("DIRFRAME_BASE_URL", rig.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", rig.key)
        outcome = run("projects", "-n", "20")
        redirects = sum(request.path.endswith("/") for request in rig.requests)
        assert len(outcome.table) == 20, outcome.err
        assert len(rig.requests) - redirects <= 3


def test_directory_without_an_address_names_what_can_be_passed(folder, run, monkeypatch):
    monkeypatch.setenv("DIRFRAME_BASE_URL", "")
    outcome = run("projects")
    assert (outcome.code, "--base-url" in outcome.err, " url=" in outcome.err) == (3, True, False)
    with pytest.raises(dirframe.ConfigurationError) as caught:
        dirframe.load_projects()
    assert "dirframe.Directory(base_url, key)" in str(caught.value)


# What is not there


NOT_THERE = {
    "load /projects/1/contributors.xml": "17, 143",
    "load projects/1/contributors": "17, 143",
    "load contributors --of 1": "17, 143",
    "load activity_facts --of 1": "17, 143",
    "load size_facts --of 1": "17, 143",
    "load /orgs/acme.xml": "no organizations",
    "projects --organization acme": "no organizations",
    "load /projects/999999.xml": "There is no such project",
    "load /accounts/999999.xml": "There is no such account",
    "load /orgs/acme.xml --rehearsal": "harbour, lantern",
    "load portfolio_projects --of acme --rehearsal": "harbour, lantern",
    "projects --organization acme --rehearsal": "harbour, lantern",
}


@pytest.mark.parametrize("line", NOT_THERE)
def test_not_found_says_what_is_there(line, rehearsal, folder, run):
    where = [] if "--rehearsal" in line else ["--demo"]
    outcome = run(*line.split(), *where)
    assert (outcome.code, outcome.out) == (6, "")
    assert NOT_THERE[line] in outcome.err


PYTHON_NOT_THERE = {
    "contributors": (lambda d: dirframe.load_contributors(1, directory=d), "17, 143"),
    "activity": (lambda d: dirframe.load_activity(1, directory=d), "17, 143"),
    "size": (lambda d: dirframe.load("size_facts", of=1, directory=d), "17, 143"),
    "organization": (lambda d: dirframe.load_projects(d, organization="acme"), "no organizations"),
}


@pytest.mark.parametrize("name", PYTHON_NOT_THERE)
def test_not_found_in_python_says_what_is_there(name, sample):
    load, there = PYTHON_NOT_THERE[name]
    with pytest.raises(dirframe.NotFoundError) as caught:
        load(sample)
    assert (there in str(caught.value), "url=" in str(caught.value)) == (True, False)


@pytest.mark.parametrize("line", ["projects", "load languages", "check"])
def test_directory_without_an_address_names_no_argument_of_python(line, folder, run, monkeypatch):
    monkeypatch.setenv("DIRFRAME_BASE_URL", "")
    outcome = run(*line.split())
    assert (outcome.code, "--base-url" in outcome.err, "url=" in outcome.err) == (3, True, False)


# On a terminal


WIDE_LINES = [
    "projects --demo --sort stars",
    "projects --demo --columns lines",
    "projects --demo --exclude nonsense",
    "load /projects/1/contributors.xml --demo",
    "load /projects/633.xml --demo",
    "summary projects.parquet",
    "stats languages",
    "projects --demo --plan",
    "cite projects.parquet --style ris",
    "--help",
    "stats --help",
]


@pytest.mark.parametrize("line", WIDE_LINES)
def test_terminal_text_is_wrapped_at_words(line, files, folder, run, monkeypatch):
    (folder / "projects.parquet").write_bytes((files / "projects.parquet").read_bytes())
    monkeypatch.setenv("COLUMNS", "80")
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True)
    outcome = run(*shlex.split(line))
    text = outcome.out + outcome.err
    wide = [shown for shown in text.splitlines() if len(shown) > 80 and "\r" not in shown]
    is_one_word = [len(shown.split()) == 1 for shown in wide]
    assert (all(is_one_word), bool(text)) == (True, True), wide
