"""Turn a statement into its opposite by adding or removing one negation."""

import re
from collections.abc import Iterator

from retrieval.text_language import TextLanguage

# Removed: what the negation becomes. 不 alone goes only before a word that stands well without it.
_REMOVED: dict[TextLanguage, tuple[tuple[str, str], ...]] = {
    "zh": (
        (r"不得(?!不)", "可以"),
        (r"严禁|禁止|嚴禁", "允许"),
        (
            r"不(?=能[^否]|可以|可(?!或|思|避)|会|會|应|應|是(?!很)|属于|屬於|需|允许|予|适用|超过|低于|少于|享受|包括|含|影响|符合|再)",
            "",
        ),
        (r"(?:没有|沒有)(?!.{0,2}不)", "有"),
        (r"(?<![前从])未(?=能|经|經|被|按|在|达|達|提|参|參|完成)", "已"),
        (r"无需|无须|無需|無須|不必", "需要"),
        (r"(?<=[并並])不", ""),
        (r"(?<=[都也就却卻从從])[不没沒](?=[^\s，。])", ""),
    ),
    "en": (
        (
            r"\b(is|are|was|were|do|does|did|has|have|had|can|could|may|must|should|will|would|shall)(?: not\b|n't\b)",
            r"\1",
        ),
        (r"\bcannot\b", "can"),
        (r"\bnever\b", "always"),
        (r"\bno longer\b", "still"),
        (r"\bwithout\b", "with"),
        (r"\bnot (?=\w+ed\b|to\b|be\b)", ""),
        (r"\bNo (?=\w+ (?:is|are|was|were|may|can|will)\b)", "Every "),
    ),
}
_ADDED: dict[TextLanguage, tuple[tuple[str, str], ...]] = {
    "zh": (
        (r"(?<![不可])可以", "不得"),
        (r"(?<![不是])(?:必须|必須)", "不必"),
        (r"(?<!不)(?:应当|應當)", "不应"),
        (r"(?<![不不适相反供照])应(?=[在由于按])", "不应"),
        (r"(?<![不只功可技体才])能(?=[够夠在被将將使])", "不能"),
        (r"(?<![不机社委员])会(?=[在被将使导])", "不会"),
        (r"(?<![不可但只还還于於正也就而倒总總或凡便都像若要算])是(?=一|由|在|为|他|她|该|[的]?第)", "不是"),
        (r"(?<![没沒具所拥擁含享只还還富])有(?=一|两|三|\d|权|人)", "没有"),
        (r"(?<!不)(?:属于|屬於)", "不属于"),
        (r"(?<!不)(?:享受|适用|允许|支持|包括|超过|包含)", r"不\g<0>"),
        (r"(?<=[年月日，])(?=[成]立|开始|開始|出任|担任|加入|获得|進入|进入)", "未"),
    ),
    "en": (
        (r"\b(is|are|was|were|must|should|can|may|will|would|could)\b(?! not|n't| no\b)(?= [a-z])", r"\1 not"),
        (r"\b(has|have|had)(?= been\b| become\b)", r"\1 not"),
        (r"\bwith(?= (?:a|an|the|your)\b)", "without"),
        (r"\balways\b", "never"),
    ),
}


def negations(sentence: str, language: TextLanguage) -> Iterator[str]:
    """Yield the sentence with one negation less, then with one more, for each place where that can be."""
    for forms in (_REMOVED, _ADDED):
        for pattern, write in forms[language]:
            for found in re.finditer(pattern, sentence):
                yield sentence[: found.start()] + found.expand(write) + sentence[found.end() :]
