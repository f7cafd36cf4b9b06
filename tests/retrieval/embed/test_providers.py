"""Providers are known by their hosts."""

import pytest

from retrieval.embed.providers import most_texts


@pytest.mark.parametrize(
    ("hostname", "expected"),
    [
        ("api.openai.com", 128),
        ("mine.openai.azure.com", 128),
        ("dashscope.aliyuncs.com", 10),
        ("dashscope-intl.aliyuncs.com", 10),
        ("ws-1.ap-southeast-1.maas.aliyuncs.com", 10),
        ("api.siliconflow.cn", 32),
        ("open.bigmodel.cn", 64),
        ("ark.cn-beijing.volces.com", 10),
        ("notaliyuncs.com", 32),
        ("aliyuncs.com.example.org", 32),
        ("localhost", 32),
        ("", 32),
    ],
)
def test_most_texts(hostname: str, expected: int) -> None:
    assert most_texts(hostname) == expected
