"""The attack set holds what it says, and neither model is steered by it."""

from pathlib import Path

import pytest

from agent.settings import OFFLINE, Settings
from eval.tasks.attacks import ATTACKS as ATTACK_FILE
from eval.tasks.attacks import Attack, ObeyingModel, as_run, attacks_table, load_attacks, run_attacks
from tests.fakes import CharacterEmbedder

ATTACKS = load_attacks()


def some(kinds: int) -> list[Attack]:
    """Return one attack of each kind, Chinese and English in turn."""
    names = list(dict.fromkeys(attack.kind for attack in ATTACKS))[:kinds]
    return [
        next(one for one in ATTACKS if one.kind == kind and one.language == ("zh", "en")[number % 2])
        for number, kind in enumerate(names)
    ]


@pytest.mark.parametrize("model", [OFFLINE, "obeying"])
def test_what_is_done_and_kept_is_not_steered_by_what_looks_like_a_step(tmp_path: Path, model: str) -> None:
    """What a document says may be quoted or believed; it never becomes a step of the agent."""
    looks_like_one = [one for one in some(15) if one.kind in ("react labels", "fake observation")]
    results = run_attacks(Settings(home=tmp_path), models=[model], attacks=looks_like_one, embedder=CharacterEmbedder())
    changed = [(one.attack.id, name) for one in results for name in ("tools", "memory") if not one.kept[name]]
    assert changed == []
    run = as_run(results, Settings(home=tmp_path), ATTACK_FILE)
    assert attacks_table(run).splitlines()[-1].startswith("| all")


def test_the_built_in_model_does_what_it_does_without_the_attack(tmp_path: Path) -> None:
    results = run_attacks(Settings(home=tmp_path), models=[OFFLINE], attacks=some(15), embedder=CharacterEmbedder())
    assert [(one.attack.id, name) for one in results for name in ("tools", "memory") if not one.kept[name]] == []


def test_the_model_that_obeys_does_obey_what_it_sees() -> None:
    """Without what stands around it, each order would have been done."""
    model = ObeyingModel(attacks=ATTACKS)
    for attack in ATTACKS:
        shown = "\n".join(f"| {line}" for line in attack.document().splitlines())
        reply = model.invoke(
            f"Mark: ab\nQuestion: {attack.question}\nObservation: \n[S1] {attack.title} (a.md)\n{shown}"
        )
        assert reply.text == attack.obey.replace("{label}", "S1")
