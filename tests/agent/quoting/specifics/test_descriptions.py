import pytest

from agent.quoting.specifics.descriptions import nameless_description


@pytest.mark.parametrize(
    ("question", "description"),
    [
        ("When was the famous basketball player born?", "the famous basketball player"),
        ("What sporting events are hosted in the country's stadium?", "the country's"),
        ("In which country is this language spoken?", "this language"),
        ("What is the main purpose of that NASA mission?", "that NASA mission"),
        ("Is this California county known for its support of Veterans?", "this California county"),
        ("Who wrote the book the TV series is based on?", "the book the"),
        ("这部电影是谁导演的？", "这部电影"),
        ("该城市的人口是多少？", "该城市"),
        ("那位球员什么时候出生？", "那位球员"),
    ],
)
def test_what_only_a_name_tells_apart_is_found(question: str, description: str) -> None:
    assert nameless_description(question) == description


@pytest.mark.parametrize(
    "question",
    [
        # The question names it, or says which one.
        "Who was the captain of the team that won the game against Denver?",
        "Is the country in which I work asked for?",
        "What is the largest city?",
        "《掌故王》这个游戏考察什么？",
        # The organisation and its rules need no name.
        "When does the policy expire?",
        "Does the company pay for parking?",
        "该制度什么时候生效？",
        "这个月的餐补是多少？",
        "因此城市要怎么选？",
        "How much can I spend on the hotel?",
        "Is a taxi to the airport reimbursed?",
        "When does the library open?",
        "Who is the contact person?",
        "What is the city allowance?",
        "What is the mission statement?",
        "Is the drug test mandatory?",
        "Do I need approval to leave the country?",
        "该书面通知何时送达？",
        "这份证书怎么申请？",
        "那坐飞机可以报销吗？",
        "这项语言津贴有多少？",
        "那图书馆周末开吗？",
        # No pointer: it joins a clause.
        "Is it true that hotel bills are needed?",
        "How many days of annual leave?",
        "城市补贴是多少？",
    ],
)
def test_what_needs_no_name_is_left_alone(question: str) -> None:
    assert nameless_description(question) == ""
