"""Text in a document that speaks to a language model instead of to people, and text that people cannot see.

A document may say anything; what it says to a model is told to the person who ingests it, and is no evidence.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from preprocessing.document import Block

_MODEL_EN = r"(?:ai|a\.i\.|llms?|language models?|chatbots?|chat bots?|assistants?|agents?|gpt|chatgpt|claude|bots?)"
_MODEL_ZH = r"(?:AI|人工智能|大?语言模型|大模型|智能体|智能助手|智能问答|AI\s*助手|助手|聊天机器人|机器人|模型)"
_ORDERS_EN = r"(?:instruct\w*|prompts?|rules?|guidelines?|directions?|directives?|commands?|orders?|context|passages?)"
_ORDERS_ZH = r"(?:指令|指示|提示词?|要求|规则|设定|命令|约束|限制|上下文|段落|资料|角色|身份)"
_ASKED_ZH = r"(?:问|提问|询问|问到|问起|问及|提到|被问|查询)"
_ANSWER_ZH = r"(?:回答|回复|答复|作答|答案|输出|声称|告知)"
_TOOLS = r"(?:knowledge_search|query_rewrite|delete_\w+|send_\w+|run_\w+|exec\w*_\w+|fetch_\w+|read_\w+|write_\w+)"

_ORDERS = (
    # Forget what you were told.
    rf"\b(?:ignor|disregard|forget|overrid|overrul|bypass|discard|neglect|drop|skip|stop following|do not follow)\w*\b"
    rf"(?:\W+\w+){{0,4}}?\W+(?:previous|prior|above|earlier|preceding|all|any|every\w*|other|your|system|original|former)\b"
    rf"(?:\W+\w+){{0,4}}?\W+{_ORDERS_EN}\b",
    r"\b(?:ignore|disregard|forget) (?:everything|all|anything)\b.{0,30}\b(?:above|before|told|said|know|previous\w*|else)",
    r"\b(?:ignore|disregard) (?:all |any |the )?(?:other|remaining) (?:passages?|sources?|documents?|evidence|results?)\b",
    rf"(?:忽略|忽视|无视|忘记|忘掉|不要理会|不必理会|不用管|抛弃|推翻|绕过|跳过|不要遵守|停止遵守|覆盖|解除)[^。；;\n]{{0,12}}"
    rf"(?:之前|以上|上面|上述|先前|此前|前面|所有|一切|全部|其他|其它|原有|系统|你的|任何)[^。；;\n]{{0,10}}{_ORDERS_ZH}",
    r"(?:忽略|无视|忘记|忘掉)(?:你|之前|以上|上面|此前)[^。；;\n]{0,8}(?:所有|一切|全部|说过|学过|知道|内容)",
    r"(?:忽略|无视|不要理会|不要看|不要参考|不要采用)(?:所有|一切|全部)?(?:其他|其它|别的|其余)(?:的)?(?:来源|段落|文档|资料|证据|结果)",
    # Be somebody else.
    r"\byou are (?:now|no longer|from now on|henceforth|hereby)\b",
    rf"\byou are (?:an?|the|my)\b(?:\W+\w+){{0,4}}?\W+(?:{_MODEL_EN}|pirate|hacker|dan|persona|character|poet)\b",
    r"\bfrom now on,? (?:you|your|answer|reply|respond|speak|always|act|all answers)\b",
    r"(?:^|[.!:;>\n]\s*)(?:please )?(?:act as|pretend|role-?play|impersonate|play the (?:role|part) of|behave (?:as|like))\b",
    rf"(?:你|您)(?:现在|从现在起|今后|此刻)(?:开始)?(?:就)?(?:是|不再是|要|必须|将|扮演|进入|的身份)",
    rf"(?:你|您)(?:是|乃)(?:一[个名位只台])?[^。，,\n]{{0,10}}(?:{_MODEL_ZH}|海盗|黑客|诗人|猫娘|角色|人格)",
    r"从(?:现在|此刻|这一刻|今)(?:起|开始)[^。\n]{0,12}(?:你|您|回答|回复|一律|所有答案)",
    r"(?:^|[。！：:；\n>]\s*|请(?:你)?|你(?:要|需要|必须|应)?)(?:扮演|假扮|假装|模仿|角色扮演)",
    r"\b(?:developer|dan|god|debug|admin|maintenance|jailbreak|unrestricted) mode\b.{0,40}\b(?:on|enabled?|activated?|active)",
    r"\b(?:enter|enable|activate|switch (?:in)?to) (?:the )?(?:developer|dan|god|debug|admin|jailbreak|unrestricted) mode",
    r"\bdo anything now\b|\bjailbreak|(?:进入|启用|开启|切换到)[^。\n]{0,4}(?:开发者|越狱|上帝|无限制|管理员|调试)模式",
    # Words to a model.
    rf"(?:^|[.!:;>\n\[(*#]\s*)(?:dear|attention|hey|hi|hello|note (?:to|for)|notice to|instructions? (?:to|for)|"
    rf"message (?:to|for)|important for|for|to)\s*,?:?\s*(?:the |all |any |every )?{_MODEL_EN}\b(?:[^.\n]{{0,40}})?[,:—\-!]",
    rf"\bif you are (?:an? |the )?{_MODEL_EN}\b",
    rf"(?:^|[。！：:；\n>【\[(（]\s*)(?:致|告|请|给|提醒|注意)?(?:各位|所有|任何|每个)?{_MODEL_ZH}(?:们)?(?:请|注意|须知|必读|你|，|,|：|:)",
    rf"(?:致|告|给)(?:各位|所有|任何|正在阅读的)?[^。\n]{{0,6}}{_MODEL_ZH}(?:们)?(?:的)?(?:指令|说明|提示|消息|一封信|：|:|，)",
    rf"如果你是[^。\n]{{0,6}}{_MODEL_ZH}",
    # What to say, and how.
    r"\b(?:if|when|whenever|once|in case) (?:you(?: are|'re)? |ever )?(?:asked|queried|prompted)\b",
    r"\b(?:if|when|whenever|should) (?:the |an? |any )?(?:users?|anyone|anybody|someone|somebody|questions?)\b[^.\n]{0,60}"
    r"\b(?:answer|reply|respond|say|state|claim|output|tell (?:them|him|her|the user)|write|cite)\b",
    r"\b(?:answer|reply|respond|output|speak|write|format your \w+)\b (?:only|exclusively|solely|just|strictly)\b",
    r"\b(?:only|must|always|just|now|instead) (?:ever )?(?:answer|reply|respond|output|say|state|claim|return)\b(?! (?:to|within)\b)",
    r"\b(?:answer|reply|respond|output|return)\b(?: \w+){0,3}? (?:with|in|as) (?:raw |valid |pure )?(?:json|xml|yaml|code|base64|emoji)",
    r"\b(?:answer|reply|respond)\b[^.\n]{0,30}\b(?:with the (?:words?|phrase|sentence|text|string|single)|exactly|nothing but|\"|“)",
    r"\b(?:say|answer|claim|state|tell them|report|write)\b[^.\n]{1,40}\binstead of\b",
    r"\b(?:the |correct |right |only |true |real )*answer to (?:any|every|all|each|this|the|such)(?: \w+){0,2} questions?\b",
    r"\b(?:your|the) (?:next |final |whole |entire )?(?:answer|reply|response|output|summary)\b[^.\n]{0,25}"
    r"\b(?:must|should|shall|has to|needs to|will|ought to) (?:always |only |also |not |never |instead )?"
    r"(?:be|say|state|contain|include|begin|start|end|cite|mention|refer|use|consist)",
    r"\b(?:in|to|at the (?:end|beginning|top|bottom) of|into|of) (?:your|every|each|all|any) (?:final )?"
    r"(?:answers?|repl(?:y|ies)|responses?|outputs?)\b",
    r"\brefuse (?:to answer|all|any|every|this|the question|to help)|\bdecline (?:to answer|all|every|any) ",
    r"\bsay (?:that )?(?:you|there) (?:do not|don't|cannot|can't|are not|is no)\b",
    rf"(?:如果|若|如|当|凡是?|每当|只要|一旦|无论)?[^。，\n]{{0,8}}(?:有人|用户|任何人|被|谁)[^。，\n]{{0,4}}{_ASKED_ZH}[^。\n]{{0,40}}"
    rf"(?:{_ANSWER_ZH}|都?说|就?说|引用)",
    rf"(?:被|再)?(?:问到|问起|问及|被问)[^。\n]{{0,30}}(?:{_ANSWER_ZH}|一律|都说|就说|请说)",
    rf"(?:你|您)(?:必须|只能|务必|应当|一定要|不得|不能|不可以|不要|只需|只准)[^。\n]{{0,16}}(?:{_ANSWER_ZH}|引用|说|搜索|检索|拒绝)",
    r"(?:只|仅|一律|统一|务必|必须|请)(?:能|准|可|需|要)?(?:用|以|按|使用)\s*(?:JSON|XML|YAML|代码|英文|中文|法文|日文|诗|表情|大写)[^。\n]{0,8}"
    r"(?:回答|回复|作答|输出)",
    r"(?:请|一律|统一|直接|只能|只需|务必|必须|应当?|都要?)(?:直接|仅|只)?(?:回答|回复|作答|输出)(?:[:：“\"'「]|\s*(?:JSON|不知道|无法|没有|拒绝|\d))",
    r"(?:回答|回复|答案|作答|输出)(?:时|中|里|的)?[^。\n]{0,14}(?:必须|一律|统一|务必|只能|不要|不得|改成|改为|说成|写成|换成|变成)",
    r"(?:把|将)[^。\n]{1,24}(?:改成|改为|改写|替换成|替换为|说成|写成|报成|换成|当作|乘以|翻倍)[^。\n]{0,30}(?:回答|答案|回复|作答|输出|告诉)",
    r"(?:任何|所有|一切|每个)问题的?(?:正确|标准|唯一)?答案(?:都|均|一律)?(?:是|为)",
    r"拒绝(?:回答|作答|一切|所有|任何|提供)(?:一切|所有|任何|此|该|本)?(?:问题|提问|请求|内容)?",
    r"(?:请|必须|一律|就)?(?:说|回答|回复|声称)(?:你|自己)?(?:不知道|无法回答|没有找到|查不到|不能回答|无权)",
    # Sources and labels.
    r"\b(?:do not|don't|never|without)\s+(?:cit(?:e|ing)|quot(?:e|ing)|label|mention|reveal|disclos\w+|tell)\b[^.\n]{0,30}"
    r"\b(?:sources?|passages?|labels?|documents?|users?|instructions?|this (?:message|note|text|line)|citations?)\b",
    r"\b(?:cite|quote|credit|attribute|label|reference|refer to)\b[^.\n]{0,40}(?:\[?\bs\s?\d{1,2}\b\]?|\binstead\b|\bas (?:the|your|its) (?:only )?source\b)",
    r"\b(?:trust|believe|use|prefer|rely on|consult|follow) only (?:this|the following) (?:passage|document|source|text|page)",
    r"(?:不要|别|切勿|禁止|请勿|无需|不准)(?:再)?(?:引用|标注|注明|给出|附上|写出|显示)[^。\n]{0,6}(?:来源|出处|标签|引文|段落|文档|编号|S\d)",
    r"(?:不要|别|切勿|禁止|请勿|不得|不准)(?:把|将|向|让|告诉|透露|提及|提到|泄露)[^。\n]{0,10}(?:用户|此指令|本指令|这条|这段|指令|提示词?)",
    r"(?:引用|来源|出处|标注|标签|引文)[^。\n]{0,8}(?:写|标|改|用|为|成|填|换)?[^。\n]{0,4}[\[【(（]?\s*S\s?\d{1,2}\b",
    r"(?:只|仅)(?:能|准|可)?(?:相信|信任|采用|采信|使用|参考|引用)(?:本|这|此|以下|该)(?:段|篇|份|个)?(?:文档|文件|段落|来源|资料|内容|条)",
    # Tools and the loop.
    rf"\b{_TOOLS}\b",
    r"\b(?:call|invoke|run|execute|use|trigger) (?:the |a |your )?(?:tools?|functions?|plugins?|search tool)\b",
    r"\b(?:search|query|look up|scan) (?:the |your |this )?(?:knowledge base|internal documents?|memory|database) for\b",
    r"(?:调用|使用|运行|执行|触发)(?:你的|这个|以下|该)?(?:工具|函数|插件|搜索工具)",
    r"(?:立即|马上|现在|请|必须|先|再|然后|接着)(?:去|你)?(?:在)?(?:用)?(?:知识库|资料库|文档库|内部文档)[^。\n]{0,4}(?:搜索|检索|查找|查询)|"
    r"(?:立即|马上|现在|你必须|请你|你要|接着你?)(?:去)?(?:搜索|检索|查找|查询)",
    r"(?:搜索|检索|查找|查询)(?:知识库|资料库|内部文档)",
    # Memory and secrets.
    r"\b(?:remember|memori[sz]e|store|save|keep|record|note|add)\b[^.\n]{0,60}\b(?:in|to|into|for) (?:your |the |long-term |all |any )*"
    r"(?:memory|memories|future|later|next|coming|subsequent|following) ?(?:conversations?|sessions?|questions?|turns?|answers?|use)?\b",
    r"\b(?:in|for) (?:all |any |every |the )?(?:future|later|subsequent|next|following) (?:conversations?|sessions?|turns?|chats?|answers?)\b",
    r"(?:记住|牢记|记下)[^。\n]{0,30}(?:以后|今后|下次|永远|从此|后续|每次|所有(?:会话|对话|问题|回答))|(?:以后|今后|下次|后续|从此)[^。\n]{0,14}(?:回答|回复|对话|会话)",
    r"(?:写入|存入|保存到|加入|记入|存到|写进)(?:你的|系统)?(?:长期|会话|对话)?记忆",
    r"\b(?:reveal|print|show|repeat|output|leak|send|expose|disclose|display|dump|list|recite|translate)\b[^.\n]{0,40}"
    r"\b(?:system (?:prompt|message)|your (?:prompt|instructions?|rules|configuration|api|secret|key)|initial prompt|api[- ]?keys?|"
    r"chat history|conversation (?:history|so far)|hidden (?:prompt|instructions?)|earlier questions?)",
    r"(?:透露|泄露|输出|打印|显示|复述|发送|公开|说出|列出|翻译|重复)[^。\n]{0,14}(?:系统提示词?|提示词|你的(?:指令|规则|设定|配置|密钥)|初始指令|"
    r"对话(?:历史|记录|内容)|聊天记录|API\s*密钥|密钥|之前的(?:问题|对话))",
    # Links that carry something away.
    r"\b(?:append|add|include|embed|insert|render|put|attach|place|end|finish|close)\b[^.\n]{0,60}(?:!\[|https?://|\b(?:links?|images?|urls?|pixels?)\b)"
    r"[^\n]{0,80}\b(?:answers?|repl(?:y|ies)|responses?|outputs?|summary|users?|questions?)\b",
    r"\b(?:answers?|repl(?:y|ies)|responses?|outputs?)\b[^.\n]{0,50}\b(?:link|image|url|pixel)\b|"
    r"\b(?:answers?|repl(?:y|ies)|responses?|outputs?)\b[^\n]{0,50}(?:!\[|https?://)",
    r"(?:回答|答案|回复|结尾|末尾|最后|输出)[^。\n]{0,16}(?:加上|附上|附带|插入|包含|写上|加入|放上|嵌入|带上)[^。\n]{0,24}(?:链接|网址|图片|图像|https?:|!\[)",
    r"(?:加上|附上|插入|嵌入|渲染|显示)[^。\n]{0,10}(?:链接|网址|图片|图像|https?:|!\[)[^。\n]{0,80}(?:回答|答案|回复|问题|用户|对话)",
    r"https?://\S*[?&/=](?:\{|%7b|<|\[|\$)\w*",
    r"(?:最高|更高|绝对)优先级[^。\n]{0,6}(?:指令|指示|命令|要求)|\b(?:highest|top|maximum|absolute)[- ]priority (?:instruction|order|directive|command|message)",
    r"\bsystem (?:override|prompt|instruction|directive|command)s?\b|\bnew (?:system )?(?:instructions?|directives?|orders?)\s*[:：]|"
    r"(?:新的?|更新后的?)(?:系统)?(?:指令|指示|设定)\s*[:：]",
    r"系统(?:指令|指示|覆盖|命令|级指令)\s*[:：]?",
)
_FORMAT = (
    # Marks of chat templates and of tool calls, and fences like those around passages.
    r"<\|[\w ]{2,24}\|>|<｜[^｜\n]{2,24}｜>|\[/?INST\]|<<\s*/?SYS\s*>>|</?s>\s*(?:$|\[INST)",
    r"</?(?:tool_calls?|function_calls?|tool_response|think(?:ing)?|system|assistant|instructions?)(?:\s[^>\n]*)?>",
    r"^\W*</?(?:passages?|contexts?|documents?|evidence|untrusted|data|observations?|quot(?:e|ation)s?)\b[^>\n]*>\W*$",
    r"(?:^|\s)[-=#*<\[【]{2,}\s*(?:end|begin|start)\s*(?:of)?\s*(?:the )?(?:passages?|contexts?|documents?|data|system|instructions?|prompt|user)\b",
    r"^[-=#*<【\[\s]*(?:以上)?(?:段落|上下文|资料|文档|引用|系统提示|系统指令)(?:到此)?(?:结束|开始)[-=#*>】\]\s]*$",
    r"[\"'](?:action_input|tool_call|tool_calls|function_call|tool_input|final_answer)[\"']\s*[:：]",
    r"^[\W\d]*(?:action input|final answer|final response|行动输入|动作输入|工具输入|最终答案|最终回答|最终答复)\W{0,4}[:：]",
    r"^\W*(?:system|developer)(?: (?:message|prompt|note|notice|update))?\W{0,4}[:：].*\b(?:you|your|must|always|never|assistant|model|answer|ignore)\b",
    r"^\W*(?:系统|开发者)(?:消息|提示|通知|指令)?\W{0,3}[:：].*(?:你|回答|助手|模型|必须|忽略|一律)",
    r"\b(?:passages?|fence|random|secret|boundary|closing) (?:mark(?:er)?|token|nonce|tag)\b[^.\n]{0,20}\b(?:is|=|:|was|guess)",
    r"(?:段落|随机|边界|结束|保护|隔离)(?:标记|记号|口令|令牌)[^。\n]{0,8}(?:是|为|：|:|=|猜)",
)
_LABELS = re.compile(
    r"^\W*(?P<label>thought|action|observation|question|final answer|思考|行动|动作|观察|观察结果|问题)\W{0,4}[:：]", re.I
)
_ROLES = re.compile(r"^\W*(?P<role>user|human|assistant|ai|用户|助手|助理)\W{0,3}[:：]", re.I)
_CITATION = re.compile(r"[\[【［]\s*S\s?\d{1,2}\s*[\]】］]", re.I)
_IS_ORDER = re.compile("|".join(f"(?:{pattern})" for pattern in _ORDERS), re.I | re.M)
_IS_FORMAT = re.compile("|".join(f"(?:{pattern})" for pattern in _FORMAT), re.I | re.M)

_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_OVERRIDE = re.compile("[\u202d\u202e\u2066-\u2068]")
_ZERO_WIDTH = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff\u00ad\u180e]")
_ZERO_WIDTH_MANY = 8
"""Zero-width characters in one block from which something is written in them, or words are broken up by them."""
_JOINED_LETTERS = re.compile("[\u0600-\u0fff\u200d\ufe0f\U0001f000-\U0001faff]")
"""Scripts and pictures whose spelling needs zero-width characters."""
_SHOWN_CHARS = 60
_NAMED = 3


def suspicious_lines(text: str) -> list[int]:
    """Return the numbers, from 0, of the lines that speak to a language model, with what goes on from them.

    What such a line leads to counts with it: the rest of its paragraph, and the next paragraph after a colon.
    """
    lines = text.split("\n")
    folded = [_folded(line) for line in lines]
    script = _is_script(folded)
    found: list[int] = []
    goes_on = False
    for number, line in enumerate(folded):
        if not line.strip():
            goes_on = goes_on and number > 0 and folded[number - 1].rstrip().endswith((":", "："))
            continue
        if goes_on or speaks_to_a_model(line) or (script and (_LABELS.match(line) or _ROLES.match(line))):
            found.append(number)
            goes_on = not line.lstrip().startswith("|")  # rows of a table say each their own
    return found


def speaks_to_a_model(text: str) -> bool:
    """Say whether a line reads like an order to a language model, or imitates the format of an agent."""
    folded = _folded(text)
    if _IS_ORDER.search(folded) or _IS_FORMAT.search(folded):
        return True
    return bool(_LABELS.match(folded) and _CITATION.search(folded))


def warnings_of(raw: Sequence[Block], cleaned: Sequence[Block]) -> list[str]:
    """Return what to tell the person who ingests a document: hidden characters, and lines that speak to a model.

    `raw` are its blocks before they were cleaned, where invisible characters still stand.
    """
    return [*_hidden_characters("\n".join(block.text for block in raw)), *_orders(cleaned)]


def _orders(blocks: Sequence[Block]) -> Iterator[str]:
    shown = [
        " ".join(line.split())[:_SHOWN_CHARS]
        for block in blocks
        for lines in [block.text.split("\n")]
        for line in (lines[number] for number in suspicious_lines(block.text))
    ]
    if shown:
        named = "; ".join(f"“{line}”" for line in shown[:_NAMED])
        more = f" and {len(shown) - _NAMED} more" if len(shown) > _NAMED else ""
        yield f"reads like instructions to a language model, which no answer may rest on: {named}{more}"


def _hidden_characters(text: str) -> Iterator[str]:
    if tags := _TAGS.findall(text):
        said = "".join(chr(ord(sign) - 0xE0000) for sign in "".join(tags)).strip()
        yield f"hidden text in invisible tag characters: “{_printable(said)}”"
    if _OVERRIDE.search(text):
        yield "characters that reverse the order of the text, so that people read something else than programs"
    for line in text.split("\n"):
        if len(_ZERO_WIDTH.findall(line)) >= _ZERO_WIDTH_MANY and not _JOINED_LETTERS.search(line):
            yield f"many invisible characters in “{_printable(_ZERO_WIDTH.sub('', line))}”"
            return


def _printable(text: str) -> str:
    return " ".join("".join(sign for sign in text if sign.isprintable()).split())[:_SHOWN_CHARS]


def _is_script(lines: Sequence[str]) -> bool:
    """Say whether the lines imitate a conversation with a model: two labels of its format, or both its roles.

    One label alone, such as "Action:" in minutes, is a word like any other.
    """
    labels = {found["label"].casefold() for line in lines if (found := _LABELS.match(line))}
    roles = {found["role"].casefold() for line in lines if (found := _ROLES.match(line))}
    is_asked = bool(roles & {"user", "human", "用户"})
    return len(labels - {"question", "问题"}) >= 2 or (is_asked and bool(roles - {"user", "human", "用户"}))


def _folded(line: str) -> str:
    """Return the line as a model would understand it: compatibility forms folded, invisible characters out."""
    folded = unicodedata.normalize("NFKC", _TAGS.sub(lambda tags: _untagged(tags[0]), line))
    return _ZERO_WIDTH.sub("", _OVERRIDE.sub("", folded)).replace("\u00a0", " ").replace("’", "'")


def _untagged(tags: str) -> str:
    return "".join(chr(ord(sign) - 0xE0000) for sign in tags)
