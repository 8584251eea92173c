"""Highlighted code keeps its words and its colours, and loses the elements that colour nothing."""

import pytest
from lxml import html
from markdown import markdown

CODE = '''def scale(scores, d_k):
    """Divide.

    Twice."""
    return scores / d_k**0.5  # <b>
'''


@pytest.fixture(scope="module")
def block() -> html.HtmlElement:
    page = markdown(
        f"```python\n{CODE}```",
        extensions=["pymdownx.superfences", "pymdownx.highlight", "autograder.site.lean_code"],
    )
    return html.fragment_fromstring(page)


def test_code_stays_the_same_text(block: html.HtmlElement) -> None:
    assert block.findtext(".//code") is not None
    assert block.find(".//code").text_content() == CODE


def test_a_type_of_the_course_in_a_signature_is_a_link_and_one_of_others_is_only_its_name() -> None:
    own, foreign = (
        f'<autoref identifier="{name}" optional hover>T</autoref>' for name in ("autograder.x.T", "torch.T")
    )
    page = markdown(
        f'<p><span class="n">{own}</span> <span class="n">{foreign}</span></p>',
        extensions=["autograder.site.lean_code"],
    )

    assert page == f"<p>{own} T</p>"


def test_each_run_of_a_colour_is_one_element(block: html.HtmlElement) -> None:
    assert block.xpath(".//code//span/text()") == [
        "def",
        "scale",
        '"""Divide.\n\n    Twice."""',
        "return",
        "0.5",
        "# <b>",
    ]
