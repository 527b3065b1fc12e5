"""Build hook: a wheel carries the notebooks and the experiment files, which in the repository lie beside the package.

An editable install needs no copies (``agentsim.resources`` finds the originals), so the hook only acts on real wheels.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHARED = {"notebooks": "agentsim/_share/notebooks", "data/experiments": "agentsim/_share/experiments",
          "data/strategy": "agentsim/_share/strategy"}


class SharedFilesHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        for source, target in SHARED.items():
            if (Path(self.root) / source).is_dir():
                build_data["force_include"][source] = target
