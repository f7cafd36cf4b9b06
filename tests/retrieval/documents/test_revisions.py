import threading

from retrieval.documents.revisions import Readers


def test_a_writer_waits_for_earlier_readers_and_not_for_later_ones() -> None:
    readers, waited = Readers(), threading.Event()
    earlier = readers.reading()
    earlier.__enter__()
    writer = threading.Thread(target=lambda: (readers.wait_for_earlier(), waited.set()))
    writer.start()
    while readers._epoch == 0:
        pass
    with readers.reading():
        assert not waited.is_set()
        earlier.__exit__(None, None, None)
        # The later reader is still reading.
        assert waited.wait(timeout=10)
    writer.join()


def test_without_readers_nothing_is_waited_for() -> None:
    Readers().wait_for_earlier()
