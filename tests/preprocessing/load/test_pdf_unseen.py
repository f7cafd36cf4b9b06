"""Text of a PDF that people do not see is told to the person who ingests it."""

from collections.abc import Callable

import pytest
from pypdf import PdfWriter
from pypdf.generic import ArrayObject, DecodedStreamObject, DictionaryObject, NameObject, NumberObject

from preprocessing.document import Document
from tests.preprocessing.files import saved

Load = Callable[..., Document]
SEEN = "BT /F1 12 Tf 60 700 Td (Annual leave is 12 days a year.) Tj ET\n"
HIDDEN = "(Annual leave is 365 days.) Tj"
WARNING = "hidden text (invisible, tiny, or in the colour behind it) on pages: 1: “Annual leave is 365 days.”"
IMAGE = "q 500 0 0 700 50 50 cm /Im1 Do Q\n"


def pdf(*contents: str, form: str = "") -> bytes:
    """Return a file with a page for each content stream; `/Fm1` draws the form."""
    writer = PdfWriter()
    for content in contents:
        page = writer.add_blank_page(600, 800)
        font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
        image = stream("\0\0\0", Subtype="/Image", Width=1, Height=1, BitsPerComponent=8, ColorSpace="/DeviceRGB")
        fonts = DictionaryObject({NameObject("/F1"): named(font)})
        box = ArrayObject([NumberObject(one) for one in (0, 0, 600, 800)])
        drawn = stream(form, Subtype="/Form")
        drawn[NameObject("/BBox")] = box
        drawn[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        icc = ArrayObject([NameObject("/ICCBased"), writer._add_object(stream("", N=3))])
        spot = ArrayObject([NameObject("/Separation"), NameObject("/Black"), NameObject("/DeviceGray")])
        page[NameObject("/Resources")] = DictionaryObject(
            {
                NameObject("/Font"): fonts,
                NameObject("/XObject"): DictionaryObject(
                    {NameObject("/Im1"): writer._add_object(image), NameObject("/Fm1"): writer._add_object(drawn)}
                ),
                NameObject("/ColorSpace"): DictionaryObject({NameObject("/Cs1"): icc, NameObject("/Cs2"): spot}),
            }
        )
        page[NameObject("/Contents")] = writer._add_object(stream(content))
    return saved(writer)


def named(values: dict[str, str]) -> DictionaryObject:
    return DictionaryObject({NameObject(key): NameObject(value) for key, value in values.items()})


def stream(data: str, **values: str | int) -> DecodedStreamObject:
    made = DecodedStreamObject()
    made.set_data(data.encode("latin-1"))
    for key, value in values.items():
        made[NameObject(f"/{key}")] = NumberObject(value) if isinstance(value, int) else NameObject(value)
    return made


def text(setting: str = "", *, size: float = 12, shown: str = HIDDEN) -> str:
    return f"q BT /F1 {size} Tf {setting} 60 600 Td {shown} ET Q\n"


@pytest.mark.parametrize(
    "content",
    [
        text("1 1 1 rg"),
        text("1 g"),
        text("0 0 0 0 k"),
        text("/DeviceRGB cs 1 1 1 sc"),
        f"q 0 g Q q 1 g {text()} Q\n",
        text("/Cs1 cs 1 1 1 scn"),
        text("3 Tr"),
        text("3 Tr", shown="[(Annual) -300 (leave is 365 days.)] TJ"),
        text(shown="1 1 1 rg 14 TL (Annual leave is 365 days.) '"),
        text(size=0.5),
        f"q 0.01 0 0 0.01 0 0 cm {text(size=12)} Q\n",
        f"q 0.2 0.4 0.6 rg 50 590 300 30 re f {text()} Q\n",
        f"0 0 0 rg 50 100 300 30 re f {text('1 g')} 0 g\n",
        f"q q 1 g Q 1 g {text()} Q\n",
        f"q 1 g 0 0 600 800 re f {text()} Q\n",
        f"0 0 1 rg 0 0 600 800 re f q 1 g 10 10 580 780 re f {text()} Q 0 g\n",
    ],
)
def test_what_nobody_sees_is_told_and_what_is_seen_is_not_shown(load_bytes: Load, content: str) -> None:
    document = load_bytes("a.pdf", pdf(content + SEEN))
    assert document.warnings == (WARNING,)
    assert "Annual leave is 12 days a year." in "\n".join(block.text for block in document.blocks)


@pytest.mark.parametrize(
    "content",
    [
        text(),
        text("/Cs2 cs 1 scn"),
        text("/Nowhere cs 1 1 1 scn"),
        text("1 g 0 g"),
        text(size=1.5),
        f"0 0 1 rg 50 590 300 30 re f {text('1 g')} 0 g\n",
        f"0 0 1 rg 50 590 m 350 590 l 350 620 l 50 620 l h f {text('1 g')} 0 g\n",
        f"/Sh1 sh {text('1 g')} 0 g\n",
        f"q 1 g Q {text()}",
        # A rule under the text is no background.
        f"60 598 200 5 re f {text()}",
        # A scan with the layer that OCR made, below or above the picture.
        IMAGE + text("3 Tr"),
        text("3 Tr") + IMAGE,
        IMAGE + text("1 g") + "0 g\n",
        f"q 500 0 0 700 50 50 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x00 EI Q {text('1 g')} 0 g\n",
        # A triangle is not all of the square around it.
        f"0 g 50 590 m 350 590 l 50 620 l h f {text()}",
        text("1 g", shown="(- .) Tj") + "0 g\n",
        text("(x) Tr 1 1 rg"),
    ],
)
def test_what_people_see_is_not(load_bytes: Load, content: str) -> None:
    assert load_bytes("a.pdf", pdf(content + SEEN)).warnings == ()


def test_a_part_of_a_line_is_told_alone(load_bytes: Load) -> None:
    line = "BT /F1 12 Tf 60 600 Td (Leave is 12 days) Tj 1 g ( or 365 days) Tj 0 g (.) Tj ET\n"
    (warning,) = load_bytes("a.pdf", pdf(SEEN, line)).warnings
    assert warning.endswith("on pages: 2: “or 365 days”")


@pytest.mark.parametrize(
    ("form", "before", "is_told"),
    [
        (text("1 g"), "", True),
        (text(), "", False),
        ("0 0 1 rg 50 590 300 30 re f " + text("1 g"), "", False),
        # Where the form stands on a page that is not white all over, nothing is known.
        (text("1 g"), "0 0 1 rg 0 0 600 800 re f 0 g\n", False),
        (text("3 Tr"), IMAGE, False),
    ],
)
def test_forms_are_read_too_and_end_with_their_state(load_bytes: Load, form: str, before: str, is_told: bool) -> None:
    warnings = load_bytes("a.pdf", pdf(f"{before}/Fm1 Do {SEEN}", form=form)).warnings
    assert warnings == ((WARNING,) if is_told else ())
