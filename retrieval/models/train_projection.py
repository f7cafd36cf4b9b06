"""Learn what token interaction looks at: a projection of the encoder's token states, the encoder itself unchanged.

python -m retrieval.models.train_projection --groups groups.jsonl --out retrieval/models
"""

import argparse
import json
import logging
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from preprocessing.errors import FolioError
from retrieval.embed.bundled import BundledEmbedder
from retrieval.models.artefacts import PROJECTION, write_checksums
from retrieval.models.weights import Floats
from retrieval.token_interaction import TokenEncoder, TokenReranker

if TYPE_CHECKING:
    import torch

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recipe:
    """What the result depends on besides the groups."""

    steps: int = 300
    groups_in_step: int = 8
    passages: int = 4
    max_tokens: int = 256
    learning_rate: float = 1e-3
    scale: float = 20.0
    """What cosines are multiplied by before the softmax."""
    kept_share: float = 0.5
    """How much of what was learnt is kept: half way to the encoder as it was, other sets than those learnt from gain
    as much and none loses (Wortsman et al. 2022, interpolation of weights)."""
    seed: int = 11


def train(groups: Path, encoder: TokenEncoder, recipe: Recipe) -> Floats:
    """Return the projection, float32 (dimension, dimension): the identity and what was learnt beside it.

    Listwise loss over the passages of all groups of a step (ColBERTv2 calls them in-batch negatives, Santhanam et al.
    2022): a question's own wrong passages teach the difference, those of other questions keep the meaning. With a
    question's own alone the projection learns the sets' manner of asking and loses on others.
    """
    import torch  # Imported late: only training needs it.

    torch.manual_seed(recipe.seed)
    reranker = TokenReranker(encoder, projection=None)
    change: torch.nn.Parameter | None = None
    losses = []
    for step, batch in enumerate(_steps(groups, recipe)):
        questions = [reranker.asked(group["question"]) for group in batch]
        shown = [passage for group in batch for passage in group["passages"][: recipe.passages]]
        distinct = list(dict.fromkeys(shown))
        passages, mask = _padded(reranker.looked_at(distinct), recipe.max_tokens)
        if change is None:
            change = torch.nn.Parameter(torch.zeros(passages.shape[2], passages.shape[2]))
            optimizer = torch.optim.AdamW([change], weight_decay=0.0)
        optimizer.param_groups[0]["lr"] = recipe.learning_rate * (1 - step / recipe.steps)
        projected = _projected(passages, change)
        parts = []
        for group, (asked, weights) in zip(batch, questions, strict=True):
            cosines = torch.einsum("qd,nld->nql", _projected(torch.from_numpy(asked), change), projected)
            best = cosines.masked_fill(~mask[:, None, :], -1.0).amax(dim=2)
            scores = recipe.scale * best @ torch.from_numpy(weights)
            right = torch.tensor([distinct.index(group["passages"][0])])
            parts.append(torch.nn.functional.cross_entropy(scores[None], right))
        loss = torch.stack(parts).mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        losses.append(loss.item())
        if step % 20 == 19:
            _log.info("step %d of %d, loss %.3f", step + 1, recipe.steps, sum(losses[-20:]) / 20)
    if change is None:
        raise FolioError(f"{groups}: no groups are in it; write some with python -m eval.training_groups")
    learnt: Floats = change.detach().numpy()
    return np.eye(len(learnt), dtype=np.float32) + recipe.kept_share * learnt


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m retrieval.models.train_projection", description=__doc__)
    parser.add_argument("--groups", type=Path, required=True, help="what `python -m eval.training_groups` wrote")
    parser.add_argument("--out", type=Path, required=True, help="folder that gets the file and its checksum")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    try:
        projection = train(arguments.groups, BundledEmbedder(), Recipe())
    except FolioError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    arguments.out.mkdir(parents=True, exist_ok=True)
    np.save(arguments.out / PROJECTION, projection.astype(np.float16))
    write_checksums(arguments.out, [PROJECTION])
    return 0


def _steps(groups: Path, recipe: Recipe) -> Iterator[Sequence[dict[str, Any]]]:
    every = [json.loads(line) for line in groups.read_text(encoding="utf-8").splitlines()]
    random.Random(recipe.seed).shuffle(every)
    size = recipe.groups_in_step
    yield from (every[start : start + size] for start in range(0, len(every), size)[: recipe.steps])


def _padded(states: Sequence[NDArray[np.float16]], max_tokens: int) -> "tuple[torch.Tensor, torch.Tensor]":
    import torch

    longest = min(max(map(len, states)), max_tokens)
    padded = torch.zeros(len(states), longest, states[0].shape[1])
    mask = torch.zeros(len(states), longest, dtype=torch.bool)
    for row, one in enumerate(states):
        kept = one[:longest].astype(np.float32)
        padded[row, : len(kept)] = torch.from_numpy(kept)
        mask[row, : len(kept)] = True
    return padded, mask


def _projected(states: "torch.Tensor", change: "torch.Tensor") -> "torch.Tensor":
    from torch.nn.functional import normalize

    return normalize(states + states @ change, dim=-1)


if __name__ == "__main__":
    sys.exit(main())
