from collections.abc import Callable

import pytest

from preprocessing.document import Document

Load = Callable[..., Document]
PROSE = (
    "职工连续工作一年以上的，享受带薪年休假；假期由单位根据工作的具体情况统筹安排，并考虑本人的意愿，最迟在次年三月底前休完。"
    * 2
)


def blocks(load_bytes: Load, body: str, head: str = "") -> list[tuple[str, str]]:
    page = f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>"
    return [(block.kind, block.text) for block in load_bytes("a.html", page.encode()).blocks]


@pytest.mark.parametrize(
    "around",
    [
        "<nav><a href='/'>首页</a> <a href='/x'>制度</a></nav>{}",
        "<header><a>首页</a><a>登录</a></header>{}<footer>版权所有 京ICP备1号</footer>",
        "<div class='site-header sidebar'>热门文章</div>{}",
        "<script>var a = '首页';</script><style>p { color: red }</style><noscript>请打开脚本</noscript>{}",
        "<p hidden>草稿</p><p style='display: none'>草稿</p><div aria-hidden='true'>草稿</div>{}",
        "<ul><li><a>首页</a></li><li><a>制度</a></li><li><a>新闻</a></li><li><a>联系</a></li></ul>{}",
        "<main>{}</main><div>热门文章 关于我们</div>",
    ],
)
def test_only_the_article_is_read(load_bytes: Load, around: str) -> None:
    assert blocks(load_bytes, around.replace("{}", f"<h2>年假</h2><p>{PROSE}</p>")) == [
        ("heading", "年假"),
        ("paragraph", PROSE),
    ]


def test_links_in_the_article_are_content(load_bytes: Load) -> None:
    links = "".join(f"<li><a href='{number}.pdf'>附件{number}</a></li>" for number in range(1, 6))
    assert blocks(load_bytes, f"<main><p>{PROSE}</p><ul>{links}</ul></main>")[1] == (
        "list",
        "- 附件1\n- 附件2\n- 附件3\n- 附件4\n- 附件5",
    )


def test_blocks_of_every_kind(load_bytes: Load) -> None:
    body = (
        "文前<h1>手册 <small>V2</small></h1><p>一行<br>二行，<b>粗</b>体。</p>"
        "<ol start='3'><li>甲<ul><li>子项<p>续</p></li></ul></li><li>乙</li></ol>"
        "<dl><dt>押金</dt><dd>50 元</dd></dl><pre><code class='language-sh'># 安装\n  run</code></pre>"
        "<blockquote><p>引文</p></blockquote><div>面积 10<sup>6</sup> m<sup>2</sup>，CO<sub>2</sub> <del>旧</del>新"
        "<sup>[12]</sup></div><img alt='流程图' src='a.png'>"
    )
    assert blocks(load_bytes, body) == [
        ("paragraph", "文前"),
        ("heading", "手册 V2"),
        ("paragraph", "一行\n二行，粗体。"),
        ("list", "3. 甲\n  - 子项\n    续\n4. 乙"),
        ("list", "- 押金: 50 元"),
        ("code", "```sh\n# 安装\n  run\n```"),
        ("paragraph", "引文"),
        ("paragraph", "面积 10^6 m^2，CO2 新"),
        ("paragraph", "流程图"),
    ]


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (
            "<caption>表 1</caption><tr><th>编号<th>单价<tr><td>B-02<td>12 元|件",
            "| 编号 | 单价 |\n| --- | --- |\n| B-02 | 12 元\\|件 |",
        ),
        (
            "<caption>表 1</caption><thead><tr><th rowspan=2>部门<th colspan=2>费用<tr><th>交通<th>住宿</thead>"
            "<tr><td rowspan=2>人事<td>1<td>2<tr><td colspan=2>合计 3",
            "| 部门 | 费用 交通 | 费用 住宿 |\n| --- | --- | --- |\n| 人事 | 1 | 2 |\n| 人事 | 合计 3 | |",
        ),
        (
            "<caption>表 1</caption><tr><th>级别<th></th><th>材料<tr><td>甲<td><td><ul><li>身份证<li>申请表</ul>"
            "<tr><td colspan=3></td>",
            "| 级别 | 材料 |\n| --- | --- |\n| 甲 | 身份证；申请表 |",
        ),
    ],
    ids=["caption", "merged", "lists and empty columns"],
)
def test_tables(load_bytes: Load, table: str, text: str) -> None:
    assert blocks(load_bytes, f"<table>{table}</table>") == [("paragraph", "表 1"), ("table", text)]


def test_tables_that_only_place_things_are_read_in_order(load_bytes: Load) -> None:
    body = "<table><tr><td><h2>年假</h2>五天。</td><td><table><tr><td>甲<td>乙<tr><td>1<td>2</table></td></tr></table>"
    assert blocks(load_bytes, body) == [
        ("heading", "年假"),
        ("paragraph", "五天。"),
        ("table", "| 甲 | 乙 |\n| --- | --- |\n| 1 | 2 |"),
    ]


@pytest.mark.parametrize(
    ("head", "encoding", "recorded"),
    [
        ("<meta charset='gb2312'>", "gbk", "gb18030"),
        ("<meta http-equiv='Content-Type' content='text/html; charset=big5'>", "big5", "big5"),
        ("<meta charset='gbk'>", "utf-8", "utf-8"),  # a declaration that the bytes contradict
        ("", "utf-16", "utf-16"),
    ],
)
def test_declared_encodings(load_bytes: Load, head: str, encoding: str, recorded: str) -> None:
    page = f"<html><head>{head}<title>年休假辦法 - 人事處</title></head><body><p>職工享受年休假五天。</p></body></html>"
    document = load_bytes("a.html", page.encode(encoding))
    assert [block.text for block in document.blocks] == ["職工享受年休假五天。"]
    assert (document.title, document.metadata["encoding"]) == ("年休假辦法", recorded)
