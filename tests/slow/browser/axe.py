"""What axe-core finds in a page that people with disabilities cannot use."""

from tests.slow.browser.lab import absent

_CONTRAST = "color-contrast"
_VIOLATIONS = ["violations"]

#: Four fifths of axe's time is the contrast of text, a thousandth of a second for each element. Of
#: elements that look alike, and are in elements that look alike, three are enough: axe leaves open
#: what it finds covered, and texts of one character.
_MARK_SOME_OF_ALIKE = """() => {
  const looks = ["color", "backgroundColor", "backgroundImage", "opacity", "fontSize", "fontWeight"];
  const known = new Map([[null, ""]]);
  const appearance = (element) => {
    if (!known.has(element)) {
      const style = getComputedStyle(element);
      const own = [element.tagName, element.className, ...looks.map((look) => style[look])];
      known.set(element, appearance(element.parentElement) + own.join());
    }
    return known.get(element);
  };
  const seen = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (texts.currentNode.data.trim().length < 2 || !element.getClientRects().length) continue;
    const before = seen.get(appearance(element)) ?? 0;
    seen.set(appearance(element), before + 1);
    if (before < 3) element.setAttribute("data-some-of-alike", "");
  }
}"""


def violations(page, part=None):
    """Name each broken rule with the elements that break it, in a page or one part of it."""
    return _found(page, part, {"resultTypes": _VIOLATIONS})


def violations_of_a_long_page(page):
    """Name them as `violations` does, but of elements that look alike some for the contrast."""
    rules = {_CONTRAST: {"enabled": False}}
    others = _found(page, None, {"resultTypes": _VIOLATIONS, "rules": rules})
    page.evaluate(_MARK_SOME_OF_ALIKE)
    contrast = {"resultTypes": _VIOLATIONS, "runOnly": [_CONTRAST]}
    return others + _found(page, "[data-some-of-alike]", contrast)


def _found(page, part, options):
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        absent("axe-playwright-python is not installed")
    result = Axe().run(page, context=part, options=options)
    return [
        f"{rule['id']}: {node['html'][:200]} ({node['failureSummary']})"
        for rule in result.response["violations"]
        for node in rule["nodes"]
    ]
