"""What the chat says of itself, in both languages."""

import os
from collections.abc import Mapping

from retrieval.text.writing import Language

TEXTS: Mapping[Language, Mapping[str, str]] = {
    "zh": {
        "help": """\
直接输入问题即可；以“知识库：”或 kb: 开头也一样。
/sources [编号]        上一个回答引用的原文；给出编号（如 2）则显示整段
/trace                 上一个回答的每一步
/why-not 文档 [问题]   这份文档为什么没有被找到
/new                   开始新的对话
/sessions [名称]       已有的对话；给出名称则继续那个对话
/ingest 路径           导入文件或文件夹
/filter [键=值 … | off]  只在这些文档里查，例如 doc_type=pdf、source=hr/*
/as-of [日期 | off]    按那一天有效的版本回答，例如 2024-01-31
/model [名称]          正在使用的模型；给出名称则换用
/help                  本说明
/exit                  退出（也可按 Ctrl-D）
Alt-Enter 换行；粘贴多行算一个问题；Ctrl-C 停止回答，对话继续。""",
        "banner": "Folio：{documents} 份文档，{model}。用中文或英文提问；/help 查看命令。",
        "offline": "内置的离线模型（只引用原文，不写作）",
        "stopped": "（已停止，对话继续）",
        "leave": "（按 Ctrl-D 或输入 /exit 退出）",
        "no_command": "没有命令 {name}{hint}；/help 查看全部命令",
        "near": "，是否想用 {near}",
        "nothing_asked": "还没有提问",
        "no_sources": "上一个回答没有引用来源",
        "no_source": "上一个回答没有来源 {name}；有 {labels}",
        "session": "对话 {name}",
        "no_sessions": "还没有对话",
        "no_session": "没有对话 {name}；/sessions 查看已有的对话",
        "filter": "筛选：{filter}",
        "no_filter": "没有筛选",
        "as_of": "按 {day} 有效的版本回答",
        "no_as_of": "按今天有效的版本回答",
        "model": "模型：{name}",
        "why_not_usage": "用法：/why-not 文档 [问题]；没有问题时用上一个问题",
        "ingest_usage": "用法：/ingest 路径",
    },
    "en": {
        "help": """\
Type a question; one that begins with kb: or 知识库： is the same.
/sources [NUMBER]      what the last answer cites, word for word; with a number, such as 2, the whole passage
/trace                 each step behind the last answer
/why-not DOC [QUESTION]  why this document was not found
/new                   begin a new conversation
/sessions [NAME]       conversations so far; with a name, go on with that one
/ingest PATH           bring in files or a folder
/filter [KEY=VALUE … | off]  look only in these documents, such as doc_type=pdf or source=hr/*
/as-of [DATE | off]    answer by what was in force on that day, such as 2024-01-31
/model [NAME]          the model in use; with a name, another one
/help                  this list
/exit                  leave (also Ctrl-D)
Alt-Enter breaks a line; pasted lines are one question; Ctrl-C stops an answer and keeps the conversation.""",
        "banner": "Folio: {documents} documents, {model}. Ask in Chinese or English; /help for more.",
        "offline": "the built-in offline model, which quotes and does not write",
        "stopped": "(stopped; the conversation goes on)",
        "leave": "(Ctrl-D or /exit leaves)",
        "no_command": "there is no command {name}{hint}; /help lists them",
        "near": ", did you mean {near}",
        "nothing_asked": "nothing was asked yet",
        "no_sources": "the last answer has no sources",
        "no_source": "the last answer has no source {name}; it has {labels}",
        "session": "session {name}",
        "no_sessions": "none yet",
        "no_session": "there is no session {name}; /sessions lists them",
        "filter": "filter: {filter}",
        "no_filter": "no filter",
        "as_of": "answers by what was in force on {day}",
        "no_as_of": "answers by what is in force today",
        "model": "model: {name}",
        "why_not_usage": "write /why-not DOC [QUESTION]; without a question it is the last one",
        "ingest_usage": "write /ingest PATH",
    },
}


def language_of_locale() -> Language:
    """Return the language of the person by their environment, before they have said anything."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"
