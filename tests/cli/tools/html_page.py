#!/usr/bin/env python3
"""page.py FILE: reads a report of oci-rdma-doctor --format html as a browser does, and prints what it says as JSON:
  errors    what html5lib, which is strict here, has against it
  foreign   each element and attribute that would load, run or send something: there must be none
  verdict   the text at its top
  findings  in their order: {"status", "id", "evidence": [...], "remedies": [...]}
  sections  the ids of its parts, in their order
  tables    of each part, its tables: rows of cells
"""
import json
import re
import sys

import html5lib

HTML = "{http://www.w3.org/1999/xhtml}"
LOADING = {"script", "link", "img", "iframe", "object", "embed", "base", "form", "input", "button", "video", "audio", "source", "image", "use",
           "foreignObject", "a", "animate", "set", "template"}
LOADING_ATTRIBUTES = {"src", "href", "srcset", "action", "formaction", "data", "poster", "background", "style", "ping"}


def name_of(element):
    return element.tag.rsplit("}", 1)[-1] if isinstance(element.tag, str) else "#comment"


def text_of(element):
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip()


def foreign(document, style):
    for element in document.iter():
        name = name_of(element)
        if name in LOADING:
            yield f"<{name}>"
        for attribute in element.attrib:
            plain = attribute.rsplit("}", 1)[-1].lower()
            if plain in LOADING_ATTRIBUTES or plain.startswith("on"):
                yield f"{name} {plain}"
    for part in re.findall(r"url\(|@import|expression\(|https?:", style):
        yield f"style {part}"


def has_class(element, name):
    return name in element.get("class", "").split()


def finding(article):
    badge = next(e for e in article.iter(HTML + "span") if has_class(e, "badge"))
    return {"status": next(c for c in badge.get("class").split() if c != "badge"), "id": (badge.tail or "").strip(),
            "evidence": [text_of(e) for e in article.iter(HTML + "li")],
            "remedies": [text_of(e) for e in article.iter(HTML + "p") if has_class(e, "remedy")]}


def main():
    with open(sys.argv[1], "rb") as f:
        raw = f.read()
    errors = []
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        errors.append(str(error))
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"))
    document = parser.parse(raw, transport_encoding="utf-8")
    errors += [f"{place}: {code} {values}" for place, code, values in parser.errors]
    style = "".join(text_of(e) for e in document.iter(HTML + "style"))
    sections = list(document.iter(HTML + "section"))
    json.dump({
        "errors": errors,
        "foreign": sorted(set(foreign(document, style))),
        "policy": next((e.get("content") for e in document.iter(HTML + "meta") if e.get("http-equiv") == "Content-Security-Policy"), None),
        "dark": "prefers-color-scheme:dark" in style.replace(" ", ""),
        "title": next((text_of(e) for e in document.iter(HTML + "h1")), None),
        "verdict": next((text_of(s) for s in sections if s.get("id") == "verdict"), None),
        "sections": [s.get("id") for s in sections],
        "findings": [finding(a) for a in document.iter(HTML + "article")],
        "tables": {s.get("id"): [[[text_of(c) for c in r] for r in t.iter(HTML + "tr")] for t in s.iter(HTML + "table")] for s in sections},
        "text": text_of(document.find(HTML + "body")),
    }, sys.stdout)


if __name__ == "__main__":
    main()
