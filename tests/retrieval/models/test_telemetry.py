"""What runs the bundled models sends nothing to its makers."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
EMBED = """
import os
from retrieval.models.encoder import Encoder
Encoder().sentences(["年假"], "query: ")
print(os.environ["ORT_DISABLE_TELEMETRY"])
"""


def embed(tmp_path: Path, **environment: str) -> str:
    here = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    here |= {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "HOME": str(tmp_path), **environment}
    done = subprocess.run([sys.executable, "-c", EMBED], env=here, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_runtime_is_silent_and_leaves_no_mark(tmp_path: Path) -> None:
    assert embed(tmp_path) == "1"
    # It would keep an identifier of the machine there.
    assert list(tmp_path.rglob("*")) == []
    assert embed(tmp_path, ORT_DISABLE_TELEMETRY="0") == "0"
