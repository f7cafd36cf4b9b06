"""Options that several commands take."""

from pathlib import Path
from typing import Annotated

import typer

DataOption = Annotated[Path, typer.Option("--data", help="Folder of the set.", show_default=False)]
SplitOption = Annotated[str, typer.Option(help="Folder of the questions within the set.")]
DocumentsOption = Annotated[
    bool, typer.Option("--whole-documents", help="Chunk and search docs/, also where there are ready-made passages.")
]
LimitOption = Annotated[int | None, typer.Option(min=1, help="Score the first N questions only.")]
JsonOption = Annotated[Path | None, typer.Option(help="File to write the run to.", show_default=False)]
RunsOption = Annotated[
    Path | None,
    typer.Option(help="Folder to write the run to; by default eval/runs of FOLIO_HOME.", show_default=False),
]
