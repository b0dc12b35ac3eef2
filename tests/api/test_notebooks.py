"""The notebooks of the documentation: stored without outputs, and executed by the deep suite."""

from __future__ import annotations

import json
from pathlib import Path

import nbclient
import nbformat
import pytest
from commandline import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_have_no_outputs(path: Path) -> None:
    """Numbers in a file of the sources would not follow the code."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert [] == [cell["id"] for cell in code if cell["outputs"] or cell["execution_count"] is not None]


@pytest.mark.deep
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, tmp_path: Path) -> None:
    """Every cell ends without an error or a warning, and each figure that is asked for is shown."""
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=250, resources={"metadata": {"path": tmp_path}}).execute()

    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    drawing = [cell for cell in code if "run.figure(" in cell.source or "plt.subplots(" in cell.source]
    assert drawing
    assert [] == [c.id for c in drawing if not any("image/png" in out.get("data", ()) for out in c.outputs)]
    assert [] == [out.text for c in code for out in c.outputs if out.output_type == "stream" and out.name == "stderr"]
