"""What every lecture keeps to, and the numbers that the course promises, where it promises them."""

import contextlib
import io
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from autograder.exam.model import Exam
from autograder.site.figure import Edition
from autograder.site.program import FRONT_MATTER, NAMES, filled
from autograder.workspace import COURSE, Workspace

LECTURES = sorted((COURSE.root / "docs" / "lectures").glob("*.md"))
OPTIONAL = re.compile(r"^\*\*Optional\*\* .+\n\{ \.optional \}\n\n", re.MULTILINE)
BLOCK = re.compile(r"^( *)```python (run|given|draw).*?\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^( *)(`{3,}).*?^\1\2$", re.MULTILINE | re.DOTALL)
COMPUTED = re.compile(r"\{= .+? \}")
LINK = re.compile(r"\]\([^)]+\)")
FOUR_DECIMALS = re.compile(r"-?\d+\.\d{4}(?!\d)")

WARS_CONTEXT = "0.3171 0.8568 0.3212 0.8646 0.3210 0.8642 0.3142 0.8517 0.3164 0.8556"
CAUSAL = (
    "0.3986 0.6014",
    "0.2526 0.3791 0.3683",
    "0.2265 0.2839 0.2794 0.2103",
    "0.1952 0.2363 0.2331 0.1820 0.1534",
    "0.1557 0.2092 0.2048 0.1419 0.1089 0.1794",
)
PROMISED = [
    ("without_weights", "dot_product", "0.9544"),
    ("without_weights", "attention_scores", "0.9544 1.4950 1.4754 0.8434 0.7070 1.0865"),
    ("without_weights", "softmax", "0.1385 0.2379 0.2333 0.1240 0.1082 0.1581"),
    ("without_weights", "context_vector", "0.4419 0.6515 0.5683"),
    ("without_weights", "simplified_self_attention", "0.3986 0.7014 0.6203"),
    ("queries_keys_values", "project_qkv", "0.4306 1.4551"),
    ("scores", "scores_for_query", "1.2705 1.8524 1.8111 1.0795 0.5577 1.5440"),
    ("scores", "scores_for_query", "1.5150"),
    ("scores", "attention_scores", "0.9231 1.3545 1.3241 0.7910 0.4032 1.1330"),
    ("scaling", "scale_scores", "0.1925 0.1426 0.2351 0.1426 0.2872"),
    ("scaling", "scale_scores", "0.0326 0.0030 0.1615 0.0030 0.8000"),
    ("scaling", "dot_product_variance", "5.0317 1.0063 0.2013"),
    ("weights_and_context", "attention_weights", "0.1500 0.2264 0.2199 0.1311 0.0906 0.1820"),
    ("weights_and_context", "context_vectors", "0.1656 0.2500 0.2428 0.1447 0.1969"),
    ("weights_and_context", "context_vectors", "0.3061 0.8210"),
    ("weights_and_context", "scaled_dot_product_attention", WARS_CONTEXT),
    ("the_class_twice", "selfattentionv1", "0.3061 0.8210"),
    ("the_class_twice", "selfattentionv2", "-0.0748 0.0703"),
    ("the_class_twice", "copy_weights", "-0.0748 0.0703"),
    ("columns_and_loops", "self_attention_loops", "0.3061 0.8210"),
    *[("causal_mask", "causal_attention_weights", row) for row in CAUSAL],
    *[("causal_mask", "renormalized_weights", row) for row in CAUSAL[:1]],
    ("dropout", "apply_dropout", CAUSAL[-1]),
    ("dropout", "causalattention", "-0.4519 0.2216"),
    ("several_heads", "concat_heads", "-0.5874 0.0058 0.5891 0.3257"),
    ("heads_at_once", "split_heads", "-0.2705 -0.3346 -0.4582"),
    ("heads_at_once", "group_by_head", "-0.2823 -0.6065 -0.6140"),
    ("heads_at_once", "head_scores", "-0.1737 -0.3922 -0.2105"),
    ("heads_at_once", "head_weights", "0.3431 0.3043 0.3526"),
    ("heads_at_once", "head_context", "-0.2447 0.3172 -0.0060"),
    ("heads_at_once", "merge_heads", "-0.2447 0.3172 -0.0060 0.1318 0.6144 0.0032"),
    ("batches", "multiheadattention", "0.1117 -0.0547 0.0406 -0.0213 -0.3251 -0.2993"),
    ("batches", "two_sentences", "0.1007 -0.0292 0.0368 -0.1088 -0.2537 -0.2591"),
    ("transformer_block", "layernorm", "-1.0794 1.3305 -0.2510"),
    ("transformer_block", "feedforward", "1.0000 0.8413 0.8413"),
    ("training", "next_token_loss", "0.7870 0.2395 0.3333 1.0986 0.0066 5.0134 2.1172"),
    ("training", "next_token_loss", "3.4657 10.8249"),
    ("kv_cache", "causal_mask_with_past", "0.3129 0.8747 0.2865 0.7897"),
    ("kv_cache", "attend_with_cache", CAUSAL[-1]),
    ("kv_cache", "attend_with_cache", "0.2990 0.8040"),
    ("shared_heads", "grouped_query_attention", "1.2323 2.1431"),
    ("rotary_positions", "one_pair", "-0.9103"),
    ("rotary_positions", "rotate", "-2.2347 0.0770"),
    ("latent_attention", "latent_attention", "0.8350 0.8558 0.8187 0.5613"),
    ("flash_attention", "online_softmax_stats", "2.4253"),
    ("flash_attention", "flash_attention", "0.5000 3.4822 11.1060 3.1894"),
    ("windows_and_memories", "sliding_window_mask", "0.2510 0.5938"),
    ("windows_and_memories", "cross_attention", "0.2984 0.8026"),
]
every_lecture = pytest.mark.parametrize("lecture", LECTURES, ids=[lecture.stem for lecture in LECTURES])


@cache
def text_of(lecture: Path) -> str:
    """Return a lecture as students read it in their release."""
    return filled(lecture.read_text(encoding="utf-8"), Edition.TEXT)


def section_of(page: str, anchor: str) -> str:
    """Return what stands under the heading with that anchor, its subsections included."""
    for section in page.split("\n## "):
        heading, _, rest = section.partition("\n")
        if f"{{#{anchor}}}" in heading or f'<a id="{anchor}">' in heading:
            return rest
    raise AssertionError(f"there is no section {anchor}")


@pytest.mark.world
@every_lecture
def test_blocks_that_readers_copy_print_what_the_page_shows(lecture: Path) -> None:
    codes = [code for _, how, code in BLOCK.findall(lecture.read_text(encoding="utf-8")) if how in {"run", "given"}]
    namespace: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec("".join(codes), namespace)

    shown = re.findall(r"^ *```\{ \.text \.result \}\n(.*?)^ *```$", text_of(lecture), re.MULTILINE | re.DOTALL)
    assert printed.getvalue().split() == "".join(shown).split()


@every_lecture
def test_no_number_is_typed_that_a_page_could_compute(lecture: Path) -> None:
    prose = LINK.sub("", COMPUTED.sub("", FENCED.sub("", lecture.read_text(encoding="utf-8"))))

    assert FOUR_DECIMALS.findall(prose) == []


@every_lecture
def test_a_lecture_opens_with_a_sentence_and_a_picture(lecture: Path) -> None:
    text = OPTIONAL.sub("", FRONT_MATTER.sub("", lecture.read_text(encoding="utf-8")))
    title, lead, rest = text.split("\n\n", 2)

    assert title.startswith("# ")
    assert lead[0].isalpha()
    assert rest.startswith("```python draw\n")


@every_lecture
def test_a_lecture_asks_questions_and_names_its_sources(lecture: Path) -> None:
    text = lecture.read_text(encoding="utf-8")

    assert "quiz(" in text
    assert text.rstrip().splitlines()[-1].startswith("Sources: ")


def test_every_step_has_its_section_with_its_task_at_the_end(course: Workspace, practice: Exam) -> None:
    for step in practice.syllabus.steps:
        page, _, anchor = step.lecture.partition("#")
        blocks = BLOCK.findall(section_of((course.root / page).read_text(encoding="utf-8"), anchor))
        task = rf'exercise\(\s*"{step.path}"'
        assert any(re.search(task, code) for _, _, code in blocks[-2:]), step.path


@pytest.mark.slow
@pytest.mark.parametrize(("lecture", "anchor", "numbers"), PROMISED)
def test_a_promised_number_stands_where_it_is_promised(lecture: str, anchor: str, numbers: str) -> None:
    page = text_of(COURSE.root / "docs" / "lectures" / f"{lecture}.md").replace("−", "-")
    section = " ".join(FOUR_DECIMALS.findall(section_of(page, anchor)))

    assert numbers in section


def test_the_guide_for_authors_names_all_that_pages_may_draw_with(course: Workspace) -> None:
    guide = (course.root / "docs" / "reference" / "authoring.md").read_text(encoding="utf-8")
    table = "".join(line for line in guide.splitlines() if line.startswith("| "))

    assert [name for names in NAMES.values() for name in names if not re.search(rf"\b{name}\b", table)] == []
