"""Two runs side by side: each figure before and now, and what became notably worse."""

from tests.benchmarks._report import print_head, print_row
from tests.benchmarks._runs import differences

#: A figure is notably worse, or better, when it changed by more than this factor.
THRESHOLD = 1.25
_WORSE, _BETTER, _BEFORE, _NOW = "worse", "better", "only before", "only now"


def compare_runs(before, now, *, scripts, threshold=THRESHOLD):
    """Print a table for each script, of the figures that both runs have, and what stands out."""
    print(f"\n# {before.title} of {before.date}, and now {now.title} of {now.date}")
    for difference in differences(before, now):
        print(f"\nWarning: {difference}.")
    remarks = {}
    for script in sorted(scripts):
        old, new = _by_name(before, script), _by_name(now, script)
        for remark, only in ((_BEFORE, old.keys() - new.keys()), (_NOW, new.keys() - old.keys())):
            remarks.setdefault(remark, []).extend(
                f"{script}: {', '.join(filter(None, one))}" for one in sorted(only)
            )
        if common := [key for key in new if key in old]:
            print(f"\n## {script}")
            print_head(("figure", "unit"), ["before", "now", "ratio", "goal", ""])
        for key in common:
            remark = _row(old[key], new[key], threshold)
            remarks.setdefault(remark, []).append(f"{script}: {key[0]}")
    print(f"\nNotably worse or better is what changed by more than {threshold:g} times.")
    for remark in (_WORSE, _BETTER, _BEFORE, _NOW):
        found = remarks.get(remark, [])
        print(f"\n{remark.capitalize()}: {len(found)}")
        for name in found:
            print(f"- {name}")


def _by_name(run, script):
    """Return a script's figures; one that is of another unit now is another figure."""
    return {(figure.name, figure.unit): figure for figure in run.figures.get(script, ())}


def _row(before, now, threshold):
    """Print the row of a figure; return whether it is notably worse or better."""
    remark = ""
    if now.is_worse_than(before.value, threshold):
        remark = _WORSE
    elif now.is_better_than(before.value, threshold):
        remark = _BETTER
    # Of nothing there is no ratio.
    ratio = f"{now.value / before.value:.2f}" if before.value else ""
    goal = "" if now.goal is None else f"{now.goal:,}{', missed' * now.is_missed}"
    values = [_number(figure.value) for figure in (before, now)]
    print_row([now.name, now.unit, *values, ratio, goal, remark])
    return remark


def _number(value):
    return f"{value:,.0f}" if abs(value) >= 100 or value == round(value) else f"{value:.3g}"
