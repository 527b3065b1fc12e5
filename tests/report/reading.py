"""A page as a tree, for tests that ask what is on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


@dataclass
class Node:
    """An element with its attributes, children and text."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    def all(self, tag: str, **attributes: str) -> list[Node]:
        """Every element below with this tag and these attributes (``class_`` matches one of the classes)."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [node for node in self.walk() if node.tag == tag and all(
            value in node.attributes.get(name, "").split() if name == "class" else node.attributes.get(name) == value
            for name, value in wanted.items())]

    def one(self, tag: str, **attributes: str) -> Node:
        found = self.all(tag, **attributes)
        assert len(found) == 1, f"{len(found)} of <{tag} {attributes}>"
        return found[0]

    def walk(self) -> Iterator[Node]:
        for child in self.children:
            if isinstance(child, Node):
                yield child
                yield from child.walk()

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    @property
    def words(self) -> str:
        """The text with white space, also the no-break one, made single spaces."""
        return " ".join(self.text.split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("")
        self.path = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.path[-1].children.append(node)
        if tag not in VOID:
            self.path.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.path[-1].children.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.path[-1].tag == tag, f"</{tag}> closes <{self.path[-1].tag}>"
        self.path.pop()

    def handle_data(self, data: str) -> None:
        self.path[-1].children.append(data)


def read(html: str | bytes) -> Node:
    """The tree of a page; an element that is not closed, or closed in the wrong order, fails the test."""
    reader = _Reader()
    reader.feed(html.decode("utf-8") if isinstance(html, bytes) else html)
    reader.close()
    assert reader.path == [reader.root], f"<{reader.path[-1].tag}> is not closed"
    return reader.root
