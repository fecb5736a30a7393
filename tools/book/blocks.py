"""What each marker of a page turns into: Markdown, and the data of the figures next to it."""

import pathlib
import re

from tools.book import deviations, drawings, facts, model_blocks, paths, predictions, repeatability, second, try_it
from tools.book.numbers import show
from tools.book.results import (CPU, REFERENCE, BookError, counterpart, identity, modelled_ms, usual_size)

# Column: heading, format. What is not here is a parameter or a counter under its own name.
COLUMNS = {
    "variant": ("variant", None), "cold": ("cold, GB/s", ",.0f"), "hot": ("hot, GB/s", ",.0f"),
    "gb": ("GB/s", ",.0f"), "ms": ("time, ms", "#.4g"), "share": ("share of peak", ".0%"),
    "ns": ("ns each", "#.3g"),
    "copy": ("share of copy bandwidth", ".0%"), "spread": ("spread", ".1%"),
    "relative": ("relative speed", ".2f"), "n": ("elements", None), "bytes": ("bytes moved", None),
    "load_sectors_per_request": ("sectors per load", None),
    "store_sectors_per_request": ("sectors per store", None),
    "load_efficiency": ("load efficiency", ".0%"), "store_efficiency": ("store efficiency", ".0%"),
    "modelled": ("modelled, ms", "#.2g"), "error": ("error of the model", "+.1%"),
    "wanted": ("distinct words", None), "threads": ("threads", None), "occupancy": ("occupancy", ".0%"),
    "per_thread": ("elements per thread", None), "in_flight": ("bytes in flight", None), "width": ("width, bytes", None), "table": ("table, bytes", None),
    "injected_gb_per_s": ("moved by the other SMs, GB/s", ",.0f"), "probe_ns": ("ns per hop", ",.0f"),
}
MEASURED = ("cold", "hot", "ms")
COUNTED = ("load_sectors_per_request", "store_sectors_per_request", "shared_load_conflicts",
           "shared_store_conflicts")


def heading(column):
    return COLUMNS.get(column, (column.replace("_", " ").replace(" mib", ", MiB"),))[0]


def tag(name, value):
    """A parameter as words: `4 streams`, `1 stream`, `window of 9.38 MiB`, `offset 11`, `indices sequential`."""
    text, words = text_of(name, value), heading(name)
    what, _, unit = words.partition(", ")
    if unit:
        return f"{what} of {text} {unit}"
    if name in ("offset", "indices"):
        return f"{words} {text}"
    return f"{text} {re.sub('(?<=ss)es$|s$', '', words) if value == 1 else words}"


def text_of(column, value):
    if value is None:
        return ""
    form = COLUMNS.get(column, (None, None))[1]
    if not isinstance(value, (int, float)):
        return str(value)
    if form == "#.3g" and value >= 1000:  # which would be 1.02e+03
        form = ",.0f"
    return show(value, form).rstrip(".")


class Row:
    """A row for a filter: `row.threads`; what it does not have is None."""

    def __init__(self, row):
        self.__dict__.update(row)

    def __getattr__(self, _):
        return None


def matches(where, row):
    """Whether a filter holds for a row."""
    try:
        return where is None or bool(where(Row(row)))
    except TypeError:
        return False  # a library has no `threads` to compare


def split(text):
    return [part.strip() for part in text.split(",") if part.strip()]


ROMAN = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII")


class Blocks:
    """Renders the markers of one page. `figures` collects name -> data of the figures shown."""

    def __init__(self, results, sources, page_chapter, figures, contents=(), yours=False, asked=(),
                 page=None, paths=None, file=None, of_page=None):
        self.results, self.sources, self.page_chapter = results, sources, page_chapter
        self.figures, self.contents, self.yours = figures, contents, yours
        self.predictions, self.asked = [], asked  # of this page; of all pages
        self.page, self.paths, self.file, self.of_page = page or facts.Page(results), paths, file, of_page

    def render(self, kind, text):
        """What stands behind a marker: `<!--KIND: TEXT-->`."""
        if kind in model_blocks.TABLES:
            return model_blocks.TABLES[kind](self.results.directory)
        if kind in facts.BLOCKS:
            block = self.page.find(text, facts.Block, "block")
            if block.kind != kind:
                raise BookError(f"{text} is a {block.kind}.")
            return getattr(self, f"render_{kind}")(*block.words, **block.options)
        render = getattr(self, f"render_{'value' if kind == '=' else kind}", None)
        if not render:
            raise BookError("there is no such marker.")
        return render(text)

    # --- text ---------------------------------------------------------------------------------

    def render_value(self, name):
        return self.page.number(name)

    def render_repeatability(self, text):
        return repeatability.table(self.results, *text.split())

    def render_second(self, devices):
        return " ".join(second.sentence(self.results, self.results.directory.parents[1], device) for device in devices.split())

    def render_failed(self, device):
        return second.failed(self.results, self.results.directory.parents[1], device)

    def render_deviations(self, _):
        return deviations.table(self.results, self.results.directory.parents[1])

    def render_contents(self, _):
        lines, before = [], None
        for number, title, path, question in self.contents:
            part = self.sources.part(number) if number else None
            if before is not None and part != before[0]:
                lines.append("")  # the chapters of a part are a list of their own
            if part and (before is None or part != before[0]):
                lines += [f"**Part {ROMAN[part[0]]}: {part[1]}**", ""]
            label = self.paths.label(path)
            lines.append(f"{f'{number}.' if number else '-'} [{title}]({path})" + f": {question}" * bool(number and question)
                         + f" ({label})" * bool(label))
            before = (part,)
        return "\n".join(lines)

    def render_page(self, _):
        paths.check(self.page.head)  # says what is wrong with it, at its place
        return self.paths.markdown(self.file)

    def render_map(self, _):
        return self.figure("map", self.paths.map(), "*The core path and its branches. Minutes below are for reading; "
                           "running and changing the programs takes longer.*")

    def render_drawing(self, name):
        data = drawings.data_of(name, self)
        return self.figure(name, data, f"*{data['caption']}*")

    def render_predict(self, name):
        made = predictions.solve(name, self.page)
        if made.name in [other.name for other in self.predictions]:
            raise BookError(f"two questions of the page are called {made.name}.")
        self.predictions.append(made)
        return predictions.markdown(made, len(self.predictions))

    def render_predictions(self, _):
        lines = [f"{sum(len(names) for _, _, names in self.asked)} questions on {len(self.asked)} pages.", "",
                 "<details><summary>Questions per page</summary>", "", "| page | questions |", "| :-- | --: |"]
        lines += [f"| [{title}]({path.name}) | {len(names)} |" for path, title, names in self.asked]
        return "\n".join([*lines, "", "</details>"])

    def render_exercises(self, _):
        rows = self.sources.exercises(self.page_chapter) if self.page_chapter else []
        if not rows:
            raise BookError("the page's chapter has no exercises.")
        lines = [f"`./run exercise {rows[0][0]}` copies the starter code into `exercises/` and checks your solution; `--hint` helps.", "",
                 "| command | exercise | minutes | difficulty |", "| :-- | :-- | --: | --: |"]
        lines += [f"| `./run exercise {number}` | {title} | {minutes} | {difficulty} of 3 |"
                  for number, title, minutes, difficulty in rows]
        return "\n".join(lines)

    def render_labs(self, _):
        """What a class can do with each chapter, and how much of it without a GPU."""
        asked = {path.stem: len(names) for path, _, names in self.asked}
        lines = ["| page | reading | predictions | exercises | experiments | modelled times |",
                 "| :-- | --: | --: | --: | --: | :-- |"]
        for number, title, path, _ in self.contents:
            chapter = pathlib.Path(path).stem
            if chapter not in self.sources.paths:
                continue
            exercises = [int(minutes) for _, _, minutes, _ in self.sources.exercises(chapter)]
            text = (self.results.directory.parent / path).read_text(encoding="utf-8")
            changes = try_it.items(text, self.of_page(path))
            modelled = any(row.get("timeline") for row in self.results.rows(CPU, chapter))
            lines.append(
                f"| [{number:02d}]({path}) {title} | {self.paths.minutes[path]} min | {asked.get(chapter, 0)} | "
                f"{len(exercises)}: {sum(exercises)} min | {sum(changes)} of {len(changes)} | {'yes' if modelled else 'no'} |")
        return "\n".join(lines)

    def render_code(self, text):
        chapter, *names = text.split() if "/" in text else [self.page_chapter, *text.split()]
        if not chapter or not names:
            raise BookError("code needs a region of the page's chapter, or a file and a region of it.")
        return f"```cpp\n{self.sources.code(chapter, *names)}\n```"

    def render_diff(self, text):
        if len(text.split()) != 4:
            raise BookError("a diff needs two chapters and a region of each.")
        return f"```diff\n{self.sources.diff(*text.split())}\n```"

    # --- rows -----------------------------------------------------------------------------------

    def groups(self, chapters, device, where=None, every_size=False):
        """Rows by identity: a list of {cache: row}, in the order of the files."""
        found = {}
        for chapter in split(chapters):
            rows = [row for row in self.results.rows(device, self.results.chapter_name(chapter)) if matches(where, row)]
            for row in rows if every_size else usual_size(rows):
                if row["verified"] is not False and (row["gb"] or row["ms"] or row["counted"]):
                    found.setdefault(identity(row), {})[row["cache"]] = row
        if not found:
            raise BookError(f"no row of {chapters} on {device} matches.")
        return list(found.values())

    def value(self, column, group, first):
        row = next(iter(group.values()))
        row = group.get("cold", row)
        if column in ("cold", "hot"):
            self.results.hot.update(row["chapter"] for row in group.values() if column == "hot")
            return group[column]["gb"] if column in group else None
        if column == "relative":
            return next(iter(first.values()))["ms"] / row["ms"] if row["ms"] else None
        if column in ("modelled", "error"):
            modelled = self.modelled(row)
            if column == "modelled" or modelled is None or not row["ms"]:
                return modelled if column == "modelled" else None
            return modelled / row["ms"] - 1
        if row.get(column) is None and not row["counted"]:
            other = self.counted(row)
            return other.get(column) if other else None
        return row.get(column)

    def counted(self, row):
        """The CPU device's row for the same variant, whose counts per request hold at any size."""
        if not self.results.has(CPU, row["chapter"]):
            return None
        return counterpart(row, self.results.rows(CPU, row["chapter"]))

    def modelled(self, row):
        """The time that the model of the CPU device gives the same variant at the same size; of a row of
        that device at the size that it was modelled for."""
        if row["counted"] and row.get("timeline"):
            return row["timeline"]["ms"]
        if not self.results.has(CPU, row["chapter"]):
            return None
        wanted = identity(row, ("n",))
        return modelled_ms([other for other in self.results.rows(CPU, row["chapter"])
                            if identity(other, ("n",)) == wanted], row["n"])

    def mine(self, column, group, backend):
        """The reader's own value next to a reference row, or None."""
        row = group.get(column) or group.get("cold") or next(iter(group.values()))
        device = f"yours-{backend}"
        if not self.yours or not self.results.has(device, row["chapter"]):
            return None
        other = counterpart(row, self.results.rows(device, row["chapter"]))
        return other and other.get("gb" if column in ("cold", "hot") else column)

    def differs(self, column, group, first):
        """Whether the reader's own value is worth a column, or a bar: a count is, if it is not the book's."""
        own = self.mine(column, group, self.backend(column))
        return own is not None and (column in MEASURED or
                                    text_of(column, own) != text_of(column, self.value(column, group, first)))

    def varying(self, groups):
        rows = [next(iter(group.values())) for group in groups]
        names = list(dict.fromkeys(name for row in rows for name in row["parameters"]))
        return [name for name in names
                if len({str(row.get(name)) for row in rows if name in row["parameters"]}) > 1]

    def caption(self, device, groups, counters=False, peak=True, copy=False):
        data = self.results.device(device)
        sizes = {next(iter(group.values())).get("n") for group in groups} - {None, 1}
        size = f"{show(sizes.pop())} elements" if len(sizes) == 1 else ""
        verb = "counted on the" if device == CPU else "published for" if data.get("published") else ""
        name = "CPU device" if device == CPU else data["name"]
        peak = peak and data.get("peak_gb_per_s")
        parts = [f"{verb} {name}".strip(), size]
        if counters:
            parts.append("hardware counters of one launch")
        elif peak and any(row["share"] for group in groups for row in group.values()):
            parts.append(f"theoretical peak {show(peak, ',.0f')} GB/s")
        if copy:
            parts.append("copy bandwidth: what cudaMemcpyAsync reaches")
        line = "; ".join(part for part in parts if part)
        if not counters:
            line += self.own_caption(next(iter(groups[0].values())), device, data)
        return f"*{line[0].upper()}{line[1:]}.*"

    def own_caption(self, row, device, data):
        """Whose the reader's numbers are, and at which size if it is another."""
        backend = "cpu" if device == CPU else "gpu"
        if not self.yours or data.get("published") or not self.results.has(
                f"yours-{backend}", row["chapter"]):
            return ""
        sizes = {own.get("n") for own in self.results.rows(f"yours-{backend}", row["chapter"])}
        other = f", {show(sizes.pop())} elements" if len(sizes) == 1 and row["n"] not in sizes else ""
        same = "; counts that are not shown are the same" if backend == "cpu" else ""
        return f". Yours: {self.own_device(backend)}{other}{same}"

    def own_device(self, backend):
        try:
            device = self.results.device(f"yours-{backend}")
        except BookError:
            return None
        return device["name"] + (f" on {device['host_cpu']}" if device.get("host_cpu") else "")

    # --- tables -----------------------------------------------------------------------------------

    def home(self, chapters):
        """The device of a block that names none, as of the first of its chapters."""
        return self.results.home(self.results.chapter_name(split(chapters)[0]))

    def render_table(self, chapters, where=None, columns="", device=None, every_size=False, usual=None):
        device = device or self.home(chapters)
        groups = self.groups(chapters, device, where, every_size)
        caches = sorted({cache for group in groups for cache in group} - {None})
        columns = split(columns) or ["variant", *self.varying(groups), *(usual or [*(caches or ["ms"]), "share"])]
        caption = self.caption(device, groups)
        cards = {row["timeline"]["card"] for group in groups for row in group.values()
                 if row.get("timeline")}
        if device == CPU and "modelled" in columns and cards:
            card = cards.pop()
            sizes = {row["timeline"].get("n") for group in groups for row in group.values()} - {None}
            if sizes:  # of kernels: counted at one size, modelled at another
                caption = f"{caption[:-2]}. Times are modelled for {show(max(sizes))} elements on {card}, not measured.*"
            else:
                caption = caption.replace("Counted on the CPU device", f"Modelled on {card}, not measured")
        return self.table(columns, groups) + "\n\n" + caption

    def render_counts(self, chapters, **options):
        return self.render_table(chapters, device=CPU, usual=["load_requests", "load_sectors", "load_sectors_per_request", "load_efficiency",
                                                              "store_sectors_per_request", "store_efficiency"], **options)

    def render_counters(self, chapters, where=None, columns="", device=REFERENCE, large=False):
        rows = [row for chapter in split(chapters)
                for row in self.results.counters(device, self.results.chapter_name(chapter), large) if matches(where, row)]
        if not rows or not columns:
            raise BookError("counters needs rows that match and columns=\"...\".")
        groups = [{None: row} for row in rows]
        return self.table(split(columns), groups) + "\n\n" + self.caption(device, groups, counters=True)

    def table(self, columns, groups):
        own = [column for column in columns if column in MEASURED + COUNTED
               and any(self.differs(column, group, groups[0]) for group in groups)]
        head, align = [], []
        for column in columns:
            head.append(heading(column))
            align.append(":--" if column == "variant" else "--:")
            if column in own:
                head.append("**yours**")
                align.append("--:")
        lines = [head, align]
        seen = False
        for group in groups:
            row, line = group.get("cold") or next(iter(group.values())), []
            for column in columns:
                value = self.value(column, group, groups[0])
                seen |= value is not None and column != "variant"
                cell = text_of(column, value)
                if column == "variant":
                    cell = f"`{cell}`" + (" (library)" if row["library"] else "")
                elif cell and group.get(column, row)["in_l2"] and column in ("cold", "hot", "gb"):
                    cell += " in L2"
                line.append(cell)
                if column in own:
                    value = self.mine(column, group, self.backend(column))
                    line.append(f"**{text_of(column, value)}**" if value is not None else "")
            lines.append(line)
        if not seen:
            raise BookError(f"none of the columns {', '.join(columns)} has a value.")
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    @staticmethod
    def backend(column):
        return "gpu" if column in MEASURED else "cpu"

    # --- figures ------------------------------------------------------------------------------------

    def figure(self, name, data, caption):
        if name in self.figures and self.figures[name] != data:
            raise BookError(f"two figures are called {name}; give one of them name=....")
        self.figures[name] = data
        alt = data["alt"].replace("[", "(").replace("]", ")")
        return f"![{alt}](figures/{name}.svg)\n\n{caption}"

    def limits(self, device, chapter):
        described = self.results.device(device, chapter)
        names = {"peak": "peak_gb_per_s", "copy bandwidth": "copy_gb_per_s"}
        return {name: described[key] for name, key in names.items() if described.get(key)}

    def render_chart(self, chapters, **options):
        device = options.get("device", self.home(chapters))
        groups = self.groups(chapters, device, options.get("where"), options.get("every_size"))
        if "best" in options:
            groups = self.best_of(groups)
        chapter = self.results.chapter_name(split(chapters)[0])
        name = f"{chapter}-{options.get('name', 'bandwidth')}"
        title = options.get("title", "Effective bandwidth")
        kind = self.lines if "x" in options else self.bars
        data = kind(groups, options, device)
        named = self.results.device(device)["name"]
        data.update(title=f"{title}, {named}" if device != CPU else f"{title}, CPU device")
        if device != CPU and data["unit"] == "GB/s" and options.get("limits", True):
            data["limits"] = self.limits(device, chapter)
        data["alt"] = f"Chart. {data['title']}, {data['unit']}. {data['alt']}"
        limits = data.get("limits", {})
        return self.figure(name, data, self.caption(device, groups, peak="peak" in limits,
                                                    copy="copy bandwidth" in limits))

    @staticmethod
    def best_of(groups):
        """The fastest row of each chapter, cold; what sat in L2 and what a library did is left out."""
        found = {}
        for group in groups:
            row = group.get("cold")
            if row and row["gb"] and not row["library"] and not row["in_l2"]:
                if row["gb"] > found.get(row["chapter"], row)["gb"] or row["chapter"] not in found:
                    found[row["chapter"]] = row
        tasks = sorted({row["task"] for row in found.values()})
        if len(tasks) > 1:
            raise BookError(f"best=chapter sets {' next to '.join(tasks)}; name one task, as in "
                            f"where=\"task == '{tasks[0]}'\".")
        return [{"cold": {**row, "variant": f"{row['chapter'][:2]} {row['variant']}"}}
                for row in found.values()]

    def bars(self, groups, options, device):
        caches = [cache for cache in ("cold", "hot") if any(cache in group for group in groups)]
        series = split(options.get("bars", "")) or caches or ["ms"]
        names = [next(iter(group.values()))["variant"] for group in groups]
        # Parameters tell rows apart only where a variant has several.
        alike = [[group for group, other in zip(groups, names) if other == name] for name in dict.fromkeys(names)]
        varying = {name for some in alike for name in self.varying(some)}
        rows, words = [], []
        for group in groups:
            row = group.get("cold") or next(iter(group.values()))
            tags = [tag(p, row[p]) for p in row["parameters"] if p in varying and row.get(p) is not None]
            entry = {"label": ", ".join([row["variant"], *tags]), "library": row["library"], "bars": {}}
            for column in series:
                value = self.value(column, group, groups[0])
                if value is None:
                    continue
                bar = {"value": value, "text": text_of(column, value)}
                cached = group.get(column)
                if cached and cached["p25"]:
                    bar.update(low=cached["bytes"] / cached["p75"] / 1e6,
                               high=cached["bytes"] / cached["p25"] / 1e6)
                if cached and cached["in_l2"]:
                    bar["text"] += " in L2"
                entry["bars"][column] = bar
            for column in series[:1]:
                if self.differs(column, group, groups[0]):
                    value = self.mine(column, group, self.backend(column))
                    entry["bars"]["yours"] = {"value": value, "text": text_of(column, value)}
            rows.append(entry)
            words.append(entry["label"] + ": " + ", ".join(
                (f"{s} " if len(series) > 1 else "") + bar["text"]
                for s, bar in entry["bars"].items()))
        if any("yours" in row["bars"] for row in rows):
            series = [*series, "yours"]
        unit = "GB/s" if set(series) <= {"cold", "hot", "yours"} else heading(series[0])
        labels = ["yours: " + (self.own_device("cpu" if device == CPU else "gpu") or "")
                  if s == "yours" else s if s in ("cold", "hot") else heading(s) for s in series]
        return {"kind": "bars", "rows": rows, "series": series, "labels": labels, "unit": unit,
                "alt": "; ".join(words) + "."}

    def lines(self, groups, options, _):
        x, y, by, points = options["x"], options.get("y", "gb"), options.get("lines", "variant"), {}
        for group in groups:
            row = group.get("cold") or next(iter(group.values()))
            if row.get(x) is None or row.get(y) is None:
                continue
            name = row["variant"] if by == "variant" else tag(by, row.get(by))
            points.setdefault(name, []).append([row[x], row[y]])
            own = self.mine("cold" if y == "gb" else y, group, "gpu")
            if own is not None:
                points.setdefault(f"yours: {name}", []).append([row[x], own])
        if not points:
            raise BookError(f"no row has {x} and {'a bandwidth' if y == 'gb' else y}.")
        points = {name: sorted(line) for name, line in points.items()}
        ticks = {str(p[0]): size(p[0]) if x in ("n", "bytes", "in_flight", "table") else show(p[0])
                 for line in points.values() for p in line}
        said = (lambda value: show(value, ",.0f")) if y == "gb" else (lambda value: text_of(y, value))
        words = [f"{name}: " + ", ".join(f"{said(value)} at {ticks[str(at)]}" for at, value in line)
                 for name, line in points.items()]
        return {"kind": "lines", "lines": points, "ticks": ticks, "unit": "GB/s" if y == "gb" else heading(y),
                "x": {"n": "elements", "bytes": "bytes moved"}.get(x, heading(x)),
                "alt": "; ".join(words) + "."}

    def render_timeline(self, chapter, variant, **options):
        chapter = self.results.chapter_name(chapter)
        rows = [row for row in self.results.find(CPU, chapter, variant)
                if row.get("timeline") and matches(options.get("where"), row)]
        if len(rows) != 1:
            raise BookError(f"{len(rows)} rows of {variant} with a timeline match; one is needed.")
        timeline, n = rows[0]["timeline"], rows[0]["n"]
        drawn = {"n": n, **timeline}
        for size in timeline["at"]:
            if size.get("operations"):
                drawn = size  # the usual size of the book
        tags = [tag(name, value) for name, value in rows[0]["parameters"].items() if name not in ("n", "threads")]
        title = options.get("title", ", ".join([variant, *tags]))
        card, end = timeline["card"], text_of("ms", drawn["ms"]) + " ms"
        busy = {}
        for bar in drawn["operations"]:
            name = bar["engine"] + (f" {bar['device']}" if "device" in bar else "")
            busy[name] = busy.get(name, 0) + bar["end_ms"] - bar["start_ms"]
        words = "; ".join(f"{engine} busy for {text_of('ms', ms)} ms" for engine, ms in busy.items())
        left_out = timeline["operations_left_out"]
        more = f" The last {left_out} bars are left out." if left_out else ""
        data = {"kind": "timeline", "bars": drawn["operations"], "title": title, "end": end,
                "subtitle": f"Modelled on {card}, not measured; the figure in a bar is its stream"
                            f"{'; 0 is the default stream' if any(not b['stream'] for b in drawn['operations']) else ''}",
                "alt": f"Timeline, modelled on {card}. {title}: {end} in all; {words}."}
        name = f"{chapter}-{options.get('name', variant + '-timeline')}"
        return self.figure(name, data, f"*Modelled on {card}, not measured; {show(drawn['n'])} "
                                       f"elements.{more}*")

    def render_access(self, chapter, variant, **options):
        chapter = self.sources.name(chapter)
        space = options.get("space", "global")
        requests = [r for r in self.results.trace(chapter, variant)["requests"]
                    if r["space"] == space and r["access"] == options.get("access", r["access"])]
        if not requests:
            raise BookError(f"the first warp of {variant} makes no such request.")
        request = requests[0]
        drawn = (self.sectors if space == "global" else self.banks)(request)
        drawn["title"] = options.get("title", f"{variant}: one {request['access']} of a warp, "
                                              f"{request['bytes']} bytes per lane")
        drawn["alt"] = f"Access figure. {drawn['title']}. {drawn['alt']}"
        name = f"{chapter}-{variant}-{options.get('access', 'access')}-{space}-0"
        return self.figure(name, drawn, f"*{drawn['caption']} Drawn from a trace of the kernel.*")

    @staticmethod
    def sectors(request):
        lanes = request["offsets"]
        live = [spot for spot in lanes if spot is not None]
        base = min(live) // 128 * 128  # keep the figure at the start of a cache line
        lanes = [None if spot is None else spot - base for spot in lanes]
        used = {spot - base + k for spot in live for k in range(request["bytes"])}
        touched = [number - base // 32 for number in request["sectors"]]
        share = show(len(used) / 32 / len(touched), ".0%")
        verb, moved = (("write", "are touched") if request["access"] == "store" else
                       ("request", "move"))
        caption = (f"{len(live)} lanes {verb} {len(used)} bytes; {len(touched)} sectors = "
                   f"{32 * len(touched)} bytes {moved}: {share} of them are used.")
        return {"kind": "sectors", "access": request["access"], "lanes": lanes, "bytes": request["bytes"], "asked": len(used),
                "sectors": touched, "caption": caption, "alt": caption}

    @staticmethod
    def banks(request):
        wavefronts = [{str(bank): lane for bank, lane in enumerate(lanes) if lane is not None}
                      for lanes in request["wavefronts"]]
        count = sum(map(len, wavefronts))
        used = set().union(*wavefronts)
        caption = (f"{count} words in {len(used)} bank{'s' if len(used) != 1 else ''}: "
                   f"{len(wavefronts)} wavefront{'s' if len(wavefronts) != 1 else ''}.")
        return {"kind": "banks", "wavefronts": wavefronts, "caption": caption, "alt": caption}


def size(number):
    """2^18 as `256 Ki`: how sizes stand on an axis."""
    for power, unit in ((30, "Gi"), (20, "Mi"), (10, "Ki")):
        if number >= 2**power:
            return f"{number / 2**power:g} {unit}"
    return f"{number:g}"
