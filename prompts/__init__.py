"""Every text that a model is given, as files beside this one, rendered strictly."""

from importlib.resources import files
from string import Template


def render(name: str, **values: str) -> str:
    """Return the prompt `name`.md with each `$placeholder` filled in.

    Values are plain text: braces and dollars in them stay as they are. Raises ValueError when the values are not
    exactly the placeholders of the prompt, and FileNotFoundError for an unknown name.
    """
    template = Template(files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8"))
    wanted = set(template.get_identifiers())
    if wanted != values.keys():
        raise ValueError(f"prompt {name}.md takes {sorted(wanted)}, not {sorted(values)}")
    return template.substitute(values).strip()
