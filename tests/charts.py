"""What a reader sees of a chart: its bars, names, texts and caption, and what is cut off."""

from itertools import combinations

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from dirframe import charts, plot
from tests.frames import accounts, activity_facts, contributors, projects

_MAKERS = {
    "": projects,
    "accounts": accounts,
    "activity": activity_facts,
    "contributors": contributors,
    "projects": projects,
}
#: Every chart, with what makes a frame for it.
CHARTS = {name: _MAKERS[chart.collection] for name, chart in charts.CHARTS.items()}


def noun(name):
    """Return what the records of a chart are called in its caption."""
    return CHARTS[name].__name__.replace("activity_facts", "months")


def draw(name, frame=None, **options):
    """Draw a chart of its usual frame, or of another."""
    if frame is None:
        frame = CHARTS[name]()
    chart = getattr(plot, name)
    return chart(frame, **options)


def write_empty(_figure, stream, **_options):
    """Write a picture in the place of one that is drawn: of `Figure.savefig` in reports."""
    stream.write("<svg/>")


def figure(ax):
    """Return the figure of a chart."""
    return ax.get_figure(root=True)


def lay_out(ax):
    """Give all texts and ticks their places."""
    figure(ax).draw_without_rendering()
    return ax


def words(text):
    """Return a text without its line breaks."""
    return " ".join(text.split())


def bars(ax):
    """Return the bars, which are rectangles, without the marks of names at the end."""
    rectangles = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    return [patch for patch in rectangles if patch.get_gid() != "key"]


def title(ax):
    """Return the title of a chart: that of its figure, or of given axes."""
    return words(figure(ax).get_suptitle() or ax.get_title("left"))


def names(ax):
    """Return the names of the rows."""
    return [label.get_text() for label in ax.get_yticklabels()]


def points(shape):
    """Return the corners of a line, or the places of dots, as lists."""
    if isinstance(shape, Line2D):
        return shape.get_xydata().tolist()
    return np.asarray(shape.get_offsets()).tolist()


def caption(ax):
    """Return the caption of one chart, or that below panels."""
    below = figure(ax).get_supxlabel()
    if below:
        return words(below)
    [note] = captions_within(ax)
    return words(note.get_text())


def labels(ax):
    """Return the texts within the axes, without the caption."""
    return [text.get_text() for text in ax.texts if text.get_gid() != "caption"]


def key(ax):
    """Return the texts of the legend with their patches."""
    legend = ax.get_legend()
    texts = [text.get_text() for text in legend.get_texts()]
    return dict(zip(texts, legend.get_patches(), strict=True))


def grey(colour):
    """Return the lightness of a colour in greyscale, from 0 to 1."""
    return float(np.array([0.299, 0.587, 0.114]) @ to_rgb(colour))


def captions_within(ax):
    """Return the captions that are texts of the axes."""
    return [text for text in ax.texts if text.get_gid() == "caption"]


def ticks_outside(part):
    """Return the labels of ticks beyond the limits of an axis."""
    outside = []
    for axis, limits in ((part.xaxis, part.get_xlim()), (part.yaxis, part.get_ylim())):
        for place, tick in zip(axis.get_ticklocs(), axis.get_major_ticks(), strict=True):
            if not min(limits) <= place <= max(limits):
                outside += [tick.label1, tick.label2]
    return outside


def shown_texts(ax):
    """Return the texts of the figure that are drawn; an axis has ticks beyond its limits, too."""
    parts = list(figure(ax).axes)
    for panel in figure(ax).axes:
        parts += panel.child_axes
    unseen = {label for part in parts for label in ticks_outside(part)}
    texts = figure(ax).findobj(Text)
    shown = [text for text in texts if text.get_visible() and text.get_text()]
    return [text for text in shown if text not in unseen]


def is_within(box, bounds):
    """Return whether a box is within another one."""
    is_within_width = bounds.x0 <= box.x0 and box.x1 <= bounds.x1
    return is_within_width and bounds.y0 <= box.y0 and box.y1 <= bounds.y1


def cut_off(ax):
    """Return the texts of a chart that was laid out that are partly outside its figure."""
    inside = figure(ax).bbox.padded(1)
    texts = shown_texts(ax)
    return [text.get_text() for text in texts if not is_within(text.get_window_extent(), inside)]


def covered(ax):
    """Return pairs of texts of a chart that was laid out of which one covers the other."""
    boxes = {text: text.get_window_extent().shrunk(0.9, 0.8) for text in shown_texts(ax)}
    return [
        (first.get_text(), second.get_text())
        for first, second in combinations(boxes, 2)
        if boxes[first].overlaps(boxes[second])
    ]


def words_of(ax):
    """Collect titles, units, legends and captions of a figure, without their line breaks."""
    texts = [figure(ax).get_suptitle(), figure(ax).get_supxlabel()]
    for panel in figure(ax).axes:
        parts = [panel.xaxis.label, panel.yaxis.label, *captions_within(panel)]
        legend = panel.get_legend()
        if legend is not None:
            parts += legend.get_texts()
        texts.append(panel.get_title("left"))
        texts += [part.get_text() for part in parts]
    return {words(text) for text in texts} - {""}  # inner panels have no unit


def looks(ax):
    """Collect what is drawn: places, colours, hatches and texts, without the caption's source."""
    patches = list(ax.patches)
    for child in ax.child_axes:
        patches += child.patches
    shapes = []
    for patch in patches:
        corners = np.asarray(patch.get_path().vertices).tolist()
        shapes.append((corners, patch.get_facecolor(), patch.get_hatch()))
    lines = [(points(line), line.get_color()) for line in ax.lines]
    marks = [(points(dots), np.asarray(dots.get_facecolor()).tolist()) for dots in ax.collections]
    texts = [title(ax), *labels(ax), *names(ax), caption(ax).partition("Source")[0]]
    return [shapes, lines, marks, texts]
