"""Finds positions in Swift sources for small faults. Each of the ten operators has its own list of positions."""

import re
from collections import defaultdict
from typing import NamedTuple

WORDLESS = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>"""(?:.|\n)*?"""|#"+(?:.|\n)*?"+#|"(?:\\\((?:[^()\n]|\([^()\n]*\))*\)|\\.|[^"\\\n])*")',
    re.DOTALL)
# Directives, imports, attributes and names of operator functions; then conditions that end the program.
FIXED = re.compile(r"^[ \t]*#\w+[^\n]*|^[^\n]*\bimport [^\n]*|@\w+(?:\([^()\n]*\))?|\bfunc [^\w\s(]+", re.MULTILINE)
FATAL = re.compile(r"\b(?:precondition|assert|fatalError|preconditionFailure|assertionFailure)\(")
SOUND = {"Analysis", "Audio", "Decoding", "Devices", "Exports", "Files", "Playback", "RealTime", "Recording", "Sounds"}
GUARDED = re.compile(
    r"Sources/(Permission|Takes/(Session|Meter|Parts)|Commands/(Permission|Process|Recording)|RecorderKit/Microphone"
    r"|Linux/Files/Ancestors|Control/ControlServer)")
ACCESS = re.compile(
    r"permi|access|authori|allow|deni|refus|owner|polic|grant|decision|guardian|trust|\buser|group|mode|restrict|check", re.IGNORECASE)
CHECKS = re.compile(r"\b(?:check\w*|require\w*|refuse\w*|confirm|verify\w*|consume|tellStart)\(")
DURABLE = re.compile(r"\b(?:synchronize|synchronizeData|rename|renameWithoutReplacing|keepPart)\(")
CALL = re.compile(r"(?:_ = )?(?:try[?!]? )?(?:unsafe )?[A-Za-z_][\w.?!\[\]]*\(.*\)")
ASSIGNMENT = re.compile(r"(?!self\.)[A-Za-z_][\w.?!\[\]]* [-+*/|&]?= .+")
KEYWORDS = re.compile(r"(?:return|throw|if|case|let|var|func|guard|switch|for|while|default|else|do|super|self\.init)\b|_ = \.")
ERRORS = re.compile(r"\benum (\w*(?:Error|Failure|Fault|Obstacle|Reason|Refusal|Cause|ExitCode))\b[^{\n]*\{")
KINDRED = [
    {"start", "end", "offset", "position", "index", "first", "last", "from", "to"}, {"length", "count", "size", "limit", "frames"},
    {"old", "new", "before", "after", "source", "target"}, {"left", "right"}, {"lower", "upper"}, {"width", "height", "x", "y"}]


class Place(NamedTuple):
    """The part of a file that a fault replaces."""

    path: str
    line: int
    start: int
    end: int
    new: str


class Source:
    """A file, and its code with blanked comments, literals and fixed parts. Positions stay the same."""

    def __init__(self, path, text):
        self.path, self.text, self.target = path, text, path.split("/")[1]
        code = WORDLESS.sub(lambda found: blank(found.group(), " " if found["comment"] else "_"), text)
        code = FIXED.sub(lambda found: blank(found.group(), " "), code)
        for found in list(FATAL.finditer(code)):
            end = closing(code, found.end() - 1)
            code = code[:found.start()] + blank(code[found.start():end], " ") + code[end:]
        self.code = code

    def place(self, start, end, new):
        return Place(self.path, self.text.count("\n", 0, start) + 1, start, end, new)

    def line(self, position):
        return self.code[self.code.rfind("\n", 0, position) + 1:(self.code + "\n").index("\n", position)]

    def find(self, pattern, new):
        """Yields the matches of a pattern. `new` returns the replacement of a match, or None to skip it."""
        for found in re.finditer(pattern, self.code):
            replacement = new(found)
            if replacement is not None:
                yield self.place(found.start(), found.end(), replacement)

    def statements(self):
        """Yields the start and end of each statement on one line, including a statement alone in one line's braces."""
        lines, start = self.code.split("\n"), 0
        for number, line in enumerate(lines):
            text = line.strip()
            begin = start + len(line) - len(line.lstrip())
            before = next((other.strip() for other in reversed(lines[:number]) if other.strip()), "")
            after = next((other.strip() for other in lines[number + 1:number + 9] if other.strip()), "")
            isResult = before.endswith("{") and after.startswith("}") and re.search(r"->|: [\w<>?.\[\]]+ \{$|[=(] *\{$", before)
            ends = re.search(r"[{})\]\w:?!\"]$", before) and not re.match(r"[.?:&|=+*/)\]<>]|- |(?:in|else)\b", after)
            if text and ends and not isResult and balanced(text) and not KEYWORDS.match(text):
                yield begin, begin + len(text)
            inner = re.search(r"\b(?:if|else|for|while|defer)\b.* \{ ([^{}\n]+) \}$", line)
            if inner and not KEYWORDS.match(inner[1]) and not re.search(r"[=(] *if |return if", line):
                yield start + inner.start(1), start + inner.end(1)
            start += len(line) + 1


def blank(text, filler):
    return re.sub(r"[^\n]", filler, text)


def closing(code, start):
    """Returns the position after the bracket that closes the one at the start."""
    depth = 0
    for position in range(start, len(code)):
        depth += (code[position] in "([{") - (code[position] in ")]}")
        if depth == 0:
            return position + 1
    return len(code)


def balanced(text):
    return all(text.count(pair[0]) == text.count(pair[1]) for pair in ("()", "[]", "{}"))


def alike(first, second):
    """Returns whether two arguments probably have the same type, so that they can be exchanged."""
    words = [re.findall(r"[A-Z]?[a-z]+", name)[-1].lower() for name in (first, second)]
    return first != second and (words[0] == words[1] or any(set(words) <= group for group in KINDRED))


def skipped(source, start, end):
    """Compiles a statement but never runs it. Deleting it often causes a warning, and the fault would be dropped."""
    return source.place(start, end, "for _ in 0..<0 { " + source.text[start:end] + " }")


def inverted_conditions(source, _):
    yield from source.find(r" [=!]= ", lambda found: " != " if "==" in found[0] else " == ")
    yield from source.find(r"(?<=[\s(,])!(?=[\w(])", lambda found: "")
    for found in re.finditer(r"\b(?:if|while|guard) (?!let|var|case|_? *\()([^\n{},=]+?(?: [=!<>]= [^\n{},=]+?)?) (?=\{|else)", source.code):
        if balanced(found[1]):
            yield source.place(*found.span(1), "!(" + source.text[found.start(1):found.end(1)] + ")")
    for found in re.finditer(r" \? ([^?:\n{}]+) : ([^?:\n{},]+?)(?=[,)\n]| \})", source.code):
        if balanced(found[1]) and balanced(found[2]) and found[1] != found[2]:
            yes, no = source.text[found.start(1):found.end(1)], source.text[found.start(2):found.end(2)]
            yield source.place(*found.span(), f" ? {no} : {yes}")


def shifted_bounds(source, _):
    other = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}

    # A clock practically never equals a deadline, so this fault would not be noticeable.
    def compared(found):
        return None if re.search(r"\bnow\b|deadline", source.line(found.start())) else other[found[0]]
    yield from source.find(r"(?<= )[<>]=?(?= [^=])", compared)
    yield from source.find(r"(?<=[\w)\]])(?:\.\.\.|\.\.<)(?=[\w(])", lambda found: "..<" if found[0] == "..." else "...")
    yield from source.find(r"(?<=[\w)\]]) [+-] 1\b(?![.\w])", lambda found: "")


def skipped_durability(source, _):
    for start, end in source.statements():
        if DURABLE.search(source.code[start:end]):
            yield skipped(source, start, end)
    yield from source.find(r"\b(?:fsync|fdatasync|sync_file_range)\([^()\n]*\)", lambda found: "CInt(0)")
    yield from source.find(r"\(try\? [\w.]+\.synchronize(?:Data)?\(\)\) != nil", lambda found: "[0].count == 1")


def skipped_checks(source, _):
    if not GUARDED.match(source.path) and "Ancestors.check" not in source.code:
        return
    for start, end in source.statements():
        if CHECKS.search(source.code[start:end]):
            yield skipped(source, start, end)
    if not GUARDED.match(source.path):
        return
    # A comparison of constants would cause a warning about code that never runs.
    for word, after, always in (("guard", "else", "|| [0].count == 1"), ("if", r"\{ *(?:throw|return)?", "&& [0].isEmpty")):
        for found in re.finditer(rf"\b{word} (?!let|var|case)([^\n{{}},]+?) {after}", source.code):
            if balanced(found[1]) and not re.search(r"(?:^| )= ", found[1]) and ACCESS.search(source.line(found.start())):
                yield source.place(*found.span(1), f"({source.text[found.start(1):found.end(1)]}) {always}")


def swapped_channels(source, _):
    if source.target not in SOUND:
        return
    other = {"0": "1", "1": "0", "left": "right", "right": "left", "Left": "Right", "Right": "Left"}
    yield from source.find(r"(?<=[\w)]\[)[01](?=\])|(?<=[a-z)]\.)[01]\b(?!\.\d)", lambda found: other[found[0]])
    yield from source.find(r"(?<=\[)(?:channel|sample)(?=\])", lambda found: "0")
    if re.search(r"\bleft\b", source.code) and re.search(r"\bright\b", source.code):
        yield from source.find(r"(?<!let )(?<!var )(?<!case )\b(?:left|right)\b(?!:)", lambda found: other[found[0]])
    yield from source.find(
        r"(?<=\.front|..back|..side)(?:Left|Right)\b", lambda found: other[found[0]])


def changed_constants(source, generator):
    def new(found):
        line, old = source.line(found.start()), found[0]
        if re.search(r"reserveCapacity|capacity:|MemoryLayout|\bcase \w+ = |bitWidth", line):
            return None
        if "." in old:
            return generator.choice((old + " * 2", "0.0")) if float(old.replace("_", "")) else "1.0"
        value = int(old.replace("_", ""), 0)
        # Adding one to a large number, or to seconds, has no visible effect.
        small = value < 100 and "econds(" not in line
        return str(generator.choice([other for other in (value * 2, 0, value + 1 if small or not value else 0) if other != value]))
    yield from source.find(r"(?<![\w.$#])(?<![+-] )(?:0x[\dA-Fa-f_]+|\d[\d_]*(?:\.\d[\d_]*)?)(?!\w)", new)


def changed_errors(source, generator):
    cases = changed_errors.cases
    for found in re.finditer(r"(?:throw |return |: |\b(?:Failure|\w+Error)\(|\? )(?:[A-Z]\w*)?\.(\w+)\b(?!\()", source.code):
        enums = [names for names in cases if found[1] in names]
        line = source.line(found.start())
        if len(enums) == 1 and re.search(r"throw|exit|reason|refus|fail|error|cause|^ *case .*: \.", line, re.IGNORECASE):
            others = [name for name in enums[0] if name != found[1]]
            if others:
                yield source.place(*found.span(1), generator.choice(others))
    if "enum ExitCode" in source.code:
        yield from source.find(r"(?<== )\d+$|(?<= = )\d+(?=\n)", lambda found: str(int(found[0]) + 40))


def swallowed_throws(source, _):
    for start, end in source.statements():
        if source.code.startswith("try ", start):
            yield source.place(start, end, "_ = try? " + source.text[start + 4:end])
    for found in re.finditer(r"\bthrow [^\n{}]+?(?=\n| \})", source.code):
        head = list(re.finditer(r"\b(?:func|init|var|subscript|for|while|case)\b[^{}\n]*(?:\n[^{}]*?)?\{", source.code[:found.start()]))
        if not head or not balanced(found[0]):
            continue
        opener = head[-1][0]
        new = "continue" if re.match("for|while", opener) else "return nil" if re.search(r"-> .*\?", opener) else "return"
        if new != "return" or "->" not in opener and opener.startswith("func"):
            yield source.place(*found.span(), new)


def dropped_statements(source, _):
    for start, end in source.statements():
        text = source.code[start:end]
        if CALL.fullmatch(text) or ASSIGNMENT.fullmatch(text):
            yield skipped(source, start, end)


def swapped_operands(source, _):
    yield from source.find(r" (?:&&|\|\|) ", lambda found: " || " if "&" in found[0] else " && ")
    yield from source.find(r"(?<![\w])(?:min|max)(?=\()", lambda found: "max" if found[0] == "min" else "min")

    def exchanged(found):
        line = source.line(found.start())
        return f"({found[2]}, {found[1]})" if alike(found[1], found[2]) and not re.search(r"\b(?:case|func|let|var|for|init)\b", line) else None
    yield from source.find(r"(?<=\w)\(([a-z][\w.]*), ([a-z][\w.]*)\)", exchanged)


OPERATORS = {
    "invert a condition": inverted_conditions,
    "shift a bound": shifted_bounds,
    "skip what makes durable": skipped_durability,
    "skip a check of access": skipped_checks,
    "swap channels or samples": swapped_channels,
    "change a constant": changed_constants,
    "change an error": changed_errors,
    "swallow a throw": swallowed_throws,
    "drop a statement": dropped_statements,
    "swap operands": swapped_operands,
}


def error_cases(sources):
    """Returns the cases without values of each enumeration of errors, reasons or exit codes."""
    found = defaultdict(list)
    for source in sources:
        for head in ERRORS.finditer(source.code):
            body = source.code[head.end():closing(source.code, head.end() - 1)]
            for line in re.findall(r"^ *case ([^\n(:]+)$", body, re.MULTILINE):
                found[source.path, head[1]] += [name.split(" =")[0].strip() for name in line.split(",")]
    return list(found.values())


def places(sources, operator, generator):
    """Returns every position of an operator, in the order of the files."""
    changed_errors.cases = error_cases(sources) if operator == "change an error" else []
    return [place for source in sources for place in OPERATORS[operator](source, generator)]
