from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.quoting.calibrate import BOUNDS, calibrate, forget_calibration, least_confidence
from agent.quoting.confidence import LEAST_CONFIDENCE
from agent.quoting.quote import Quoter
from preprocessing.errors import FolioError
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder

SUBJECTS = (
    "报销 差旅 采购 合同 档案 印章 车辆 门禁 考勤 年假 病假 培训 "
    "招聘 离职 薪酬 福利 保险 安全 会议 宿舍 食堂 图书 设备 网络 邮箱"
).split()


def open_knowledge_base(tmp_path: Path, subjects: list[str]) -> KnowledgeBase:
    docs = tmp_path / "docs"
    docs.mkdir()
    for subject in subjects:
        rule = f"办理{subject}事项的员工应当在系统提交{subject}申请表格，由{subject}管理部门的经理审核后存档。"
        (docs / f"{subject}.md").write_text(f"# {subject}办法\n\n{rule}\n", encoding="utf-8")
    knowledge_base = KnowledgeBase.open(RetrievalSettings(home=tmp_path / "home"), embedder=CharacterEmbedder())
    knowledge_base.ingest([docs])
    return knowledge_base


@pytest.fixture
def knowledge_base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with open_knowledge_base(tmp_path, SUBJECTS) as opened:
        yield opened


def test_the_limit_is_learnt_and_kept(knowledge_base: KnowledgeBase) -> None:
    assert least_confidence(knowledge_base) == LEAST_CONFIDENCE
    found = calibrate(knowledge_base, Quoter(CharacterEmbedder(), lambda: 0.1), 5)
    assert found.questions >= 15
    assert found.refused <= 0.05
    assert BOUNDS[0] <= found.least <= BOUNDS[1]
    assert least_confidence(knowledge_base) == found.least


def test_it_can_be_forgotten(knowledge_base: KnowledgeBase) -> None:
    calibrate(knowledge_base, Quoter(CharacterEmbedder(), lambda: 0.1), 5)
    forget_calibration(knowledge_base)
    assert least_confidence(knowledge_base) == LEAST_CONFIDENCE


def test_too_few_documents_are_said(tmp_path: Path) -> None:
    with (
        open_knowledge_base(tmp_path, SUBJECTS[:3]) as few,
        pytest.raises(FolioError, match="only 3 questions could be made from the documents, and 15 are needed"),
    ):
        calibrate(few, Quoter(CharacterEmbedder(), lambda: 0.1), 5)


def test_another_embedding_model_needs_another_limit(tmp_path: Path) -> None:
    with open_knowledge_base(tmp_path, SUBJECTS[:1]) as knowledge_base:
        knowledge_base.note("limit", {"least": 0.4})
        assert knowledge_base.noted("limit") == {"least": 0.4}
        knowledge_base.engine.embedder.model_id = "another"  # type: ignore[misc]
        assert knowledge_base.noted("limit") is None
