"""Modelled times against measured ones, as SVG: a point a row, a colour a limit."""


from tools.book import figures


def draw(data, narrow=False):
    """The SVG of `groups`: name -> [measured, modelled] of each row, in ms; `near` is a share."""
    height = 4.6 if narrow else 5.5

    def paint(axes):
        points = [point for group in data["groups"].values() for point in group]
        ends = [0.8 * min(map(min, points)), 1.25 * max(map(max, points))]
        axes.plot(ends, ends, color=figures.STAND_IN["quiet"], linewidth=1)
        axes.fill_between(ends, [(1 - data["near"]) * end for end in ends],
                          [(1 + data["near"]) * end for end in ends],
                          color=figures.STAND_IN["rule"], linewidth=0)
        for index, (name, group) in enumerate(data["groups"].items()):
            axes.plot(*zip(*group), linestyle="", marker="os^Dv"[index % 5], markersize=5, label=name,
                      markeredgewidth=0.4, markeredgecolor=figures.STAND_IN["paper"],
                      color=figures.STAND_IN[figures.SERIES[index % len(figures.SERIES)]])
        axes.set_xscale("log")
        axes.set_yscale("log")
        ticks = [tick for tick in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10) if ends[0] <= tick <= ends[1]]
        for axis, setter in ((axes.xaxis, axes.set_xticks), (axes.yaxis, axes.set_yticks)):
            setter(ticks, [f"{tick:g}" for tick in ticks])
            axis.set_minor_locator(no_ticks())
        axes.set_aspect("equal")
        axes.set_xlim(*ends)
        axes.set_ylim(*ends)
        axes.grid(color=figures.STAND_IN["rule"], linewidth=0.6)
        axes.set_xlabel("measured, ms")
        axes.set_ylabel("modelled, ms")
        figures.headline(axes, data["title"], height, narrow)

    return figures.framed(data, figures.plot(4.6 if narrow else 7.2, height, paint), __file__)


def no_ticks():
    from matplotlib.ticker import NullLocator  # no figure is drawn without matplotlib
    return NullLocator()
