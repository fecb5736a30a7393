"""Code and output on the site: marked so that the style sheet can set them on a phone, where a line holds 44 characters."""

import re

TYPED = r"\./run|build/|cmake |&lt;!--"
PLACE = re.compile(r"(?<=[(\[])(?![\s)\]])|(?<=\w)(?=::|-&gt;)")


def breaks(text):
    """A line of code may go on behind a bracket, before :: and ->, and within a name that fills a phone's line."""
    def long(name):
        return re.sub(r"(?=[A-Z])", "<wbr>", name[0])

    def part(match):
        return re.sub(r"\w{36,}", long, PLACE.sub("<wbr>", match[0]))
    return re.sub(r'<div class="line".*?</div>', lambda line: re.sub(r">[^<]+", part, line[0]), text)


def remarks(block):
    """Commands and what is said of each, which a phone shows below it. A remark takes the end of its line along."""
    return re.sub(rf"((?:^|>)(?={TYPED})[^\n]*?\S)( {{2,}})(\S[^\n]*?)(</div>|\n)", lambda line: (
        f'{line[1]}<span class="gap">{line[2]}</span><span class="remark">{line[3]}'
        + ("\n</span>" if line[4] == "\n" else f"</span>{line[4]}")), block, flags=re.MULTILINE)


def heads(above, below):
    """The heading of each column of a table on a terminal, and whether a group of columns begins there."""
    over = {match.end(): match[0] for match in re.finditer(r"\S+", above)}
    result = []
    for match in re.finditer(r"\S+", below):
        word = over.get(match.end(), "")  # aligned at the right
        joined = word.endswith(("/", "-"))
        result.append((word.rstrip("-") + " " * bool(word and not joined) + match[0], bool(word) and not joined))
    return result


def output(block):
    """The tables of a terminal: each cell knows its heading, so that a phone can show a row as a few lines."""
    pattern = (r'<div class="line">( +\S[^<]*)</div>\n<div class="line">(\w+ [^<]*)</div>\n'
               r'((?:<div class="line">[^<]+</div>\n)+)')

    def rows(match):
        columns = heads(match[1], match[2])

        def row(line):
            cells = re.split(r"( {2,})", line[1])
            if len(cells[::2]) != len(columns):
                return line[0]
            text = f'{cells[0]}</span><span class="group">'
            for space, cell, (head, begins) in zip(cells[1::2], cells[2::2], columns[1:]):
                text += '</span><span class="group">' * begins + (
                    f'{space}<span class="cell" data-head="{head}">{cell}</span>')
            return f'<div class="line row"><span class="group">{text}</span></div>'
        lines = re.sub(r'<div class="line">([^<]+)</div>', row, match[3])
        return "".join(f'<div class="line head">{match[number]}</div>\n' for number in (1, 2)) + lines
    return re.sub(pattern, rows, block)
