from importlib.resources import files
from string import Template

import pytest

import prompts

NAMES = sorted(path.name.removesuffix(".md") for path in files(prompts).iterdir() if path.name.endswith(".md"))


def test_the_prompts_are_those_that_are_used() -> None:
    assert " ".join(NAMES) == "finish react_system react_turn rewrite tools_system tools_turn"


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_renders_with_exactly_its_placeholders(name: str) -> None:
    text = files(prompts).joinpath(f"{name}.md").read_text(encoding="utf-8")
    wanted = Template(text).get_identifiers()
    rendered = prompts.render(name, **{key: f"<{key}>" for key in wanted})
    assert "$" not in rendered
    assert all(f"<{key}>" in rendered for key in wanted)


def test_a_missing_or_unknown_value_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"prompt finish.md takes \['evidence', 'question'\], not \['question'\]"):
        prompts.render("finish", question="q")
    with pytest.raises(ValueError, match="not"):
        prompts.render("finish", question="q", evidence="e", extra="x")
