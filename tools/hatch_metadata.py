"""Metadata that depend on where the repository is: the README as an index shows it, and addresses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# Links and pictures of Markdown: [text](place), ![text](place). A place with a scheme is an address, and stays.
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!\w+:)([^)\s]+)\)")
CAPTION = re.compile(r"\n\*[^*]+\*\n")  # below a picture, in italics


class AddressesHook(MetadataHookInterface):
    """Sets `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set them; `repository` of the hook's table is the address."""
        repository: str = self.config.get("repository", "")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": rendered(text, repository)}
        metadata["urls"] = urls(repository)


def rendered(text: str, repository: str) -> str:
    """The README with addresses in place of places in the tree; without a repository, with words and no picture."""

    def link(match: re.Match[str]) -> str:
        is_picture, words, place = match.groups()
        if repository:
            return f"{is_picture}[{words}]({repository}/{'raw' if is_picture else 'blob'}/HEAD/{place})"
        return "" if is_picture else words

    if not repository:  # a caption is of its picture
        text = re.sub(rf"{LINK.pattern}\n{CAPTION.pattern}", "", text)
    return LINK.sub(link, text)


def urls(repository: str) -> dict[str, str]:
    """The addresses that an index shows next to the page."""
    places = {"Source": "", "Documentation": "/blob/HEAD/docs/README.md", "Changelog": "/blob/HEAD/CHANGELOG.md"}
    return {name: f"{repository}{place}" for name, place in places.items()} if repository else {}
