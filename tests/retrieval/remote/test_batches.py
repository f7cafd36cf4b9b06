"""Every item is sent once with success, in batches that the server takes."""

from collections.abc import Sequence

import pytest

from retrieval.remote.address import RequestRefused
from retrieval.remote.endpoint import Batches


class Server:
    """Doubles numbers, at most `most` at a time and none of those that are `bad`."""

    def __init__(self, most: int = 1000, bad: tuple[int, ...] = ()) -> None:
        self.most, self.bad = most, bad
        self.sizes: list[int] = []

    def __call__(self, batch: Sequence[int]) -> list[int]:
        self.sizes.append(len(batch))
        if len(batch) > self.most or set(batch) & set(self.bad):
            raise RequestRefused("no", "no")
        return [2 * number for number in batch]


@pytest.mark.parametrize(
    ("count", "limit", "most", "sizes"),
    [
        (0, 10, 1000, []),
        (10, 10, 1000, [10]),
        (25, 10, 1000, [10, 10, 5]),
        # 37 and 19 are refused; 10 and 9 pass, so from then on 10 at most.
        (37, 100, 10, [37, 19, 10, 9, 10, 8]),
        (3, 100, 1, [3, 2, 1, 1, 1]),
    ],
)
def test_sizes(count: int, limit: int, most: int, sizes: list[int]) -> None:
    server = Server(most)
    assert Batches(limit).send(range(count), server) == [2 * number for number in range(count)]
    assert server.sizes == sizes


def test_one_bad_item_does_not_make_the_batches_of_others_small() -> None:
    server, batches = Server(bad=(5,)), Batches(8)
    with pytest.raises(RequestRefused):
        batches.send(range(8), server)
    assert server.sizes == [8, 4, 4, 2, 1, 1]
    server.sizes.clear()
    batches.send(range(8, 24), server)
    assert server.sizes == [8, 8]


def test_several_at_once_come_back_in_order() -> None:
    server = Server(7)
    assert Batches(20, at_once=4).send(range(200), server) == [2 * number for number in range(200)]
    assert sum(size for size in server.sizes if size <= 7) == 200
