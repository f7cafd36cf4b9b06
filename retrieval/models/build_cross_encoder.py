"""Build a cross-encoder from a training run: int8 for ONNX Runtime, and as `sentence_transformers` loads it.

python -m retrieval.models.build_cross_encoder --run RUN --out FOLDER
"""

import argparse
import json
import logging
import shutil
import sys
from pathlib import Path

import numpy as np

from preprocessing.errors import FolioError
from retrieval.models.artefacts import CROSS_ENCODER, FOLDER, TOKENIZER, checked, write_checksums
from retrieval.models.bert_names import HEAD, KIND, OUTSIDE, in_layers
from retrieval.models.channel_ranges import channel_ranges
from retrieval.models.encoder_graph import EncoderGraph
from retrieval.models.weights import EncoderWeights, Floats

EXACT_GRAPH = "cross_encoder.float32.onnx"
MOST_TOKENS = 512

_log = logging.getLogger(__name__)


def build(run: Path, out: Path, *, exact: bool = False) -> None:
    """Write the graph, its tokenizer and their checksums into `out`; with `exact`, the float32 graph as well.

    The run itself gets the tokenizer, so that `sentence_transformers.CrossEncoder(run)` loads it. Raises FolioError
    where the run is not finished.
    """
    import onnx  # Imported late: only a build needs onnx.

    weights = read_run(run)
    save_tokenizer(run)
    out.mkdir(parents=True, exist_ok=True)
    onnx.save(EncoderGraph(weights, channel_ranges(weights)).build(("score",)), out / CROSS_ENCODER)
    shutil.copyfile(checked(TOKENIZER, FOLDER), out / TOKENIZER)
    write_checksums(out, [CROSS_ENCODER, TOKENIZER])
    if exact:
        onnx.save(EncoderGraph(weights).build(("score",)), out / EXACT_GRAPH)
    _log.info("%s: %.1f MB", out / CROSS_ENCODER, (out / CROSS_ENCODER).stat().st_size / 1e6)


def read_run(run: Path) -> EncoderWeights:
    """Return the weights of a finished run with its head; raises FolioError where there are none."""
    if not (run / "config.json").is_file():
        raise FolioError(f"--run {run}: no trained model is there; python -m retrieval.models.train_cross_encoder")
    # Imported late: only a build needs it.
    from transformers import BertForSequenceClassification

    model = BertForSequenceClassification.from_pretrained(run)
    state = {name.removeprefix("bert."): tensor.float().numpy() for name, tensor in model.state_dict().items()}
    layers = model.config.num_hidden_layers
    names = {**OUTSIDE, **in_layers(layers), **HEAD}
    tensors: dict[str, Floats] = {ours: np.asarray(state[theirs], dtype=np.float32) for ours, theirs in names.items()}
    tensors["kind"] = state[KIND][0]
    vocabulary = json.loads(checked(TOKENIZER, FOLDER).read_text(encoding="utf-8"))["model"]["vocab"]
    return EncoderWeights(
        tensors,
        [(piece, score) for piece, score in vocabulary],
        layers=layers,
        heads=model.config.num_attention_heads,
        epsilon=model.config.layer_norm_eps,
    )


def save_tokenizer(run: Path) -> None:
    """Write the bundled tokenizer beside a trained model, in the form of `transformers`."""
    from transformers import PreTrainedTokenizerFast

    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_file=str(checked(TOKENIZER, FOLDER)),
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        model_max_length=MOST_TOKENS,
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(run)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m retrieval.models.build_cross_encoder", description=__doc__)
    parser.add_argument("--run", type=Path, required=True, help="folder of a finished training run")
    parser.add_argument("--out", type=Path, required=True, help="folder that gets the files")
    parser.add_argument("--exact", action="store_true", help=f"also write {EXACT_GRAPH}, the yardstick")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        build(arguments.run, arguments.out, exact=arguments.exact)
    except FolioError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
