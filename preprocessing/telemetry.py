"""ONNX Runtime tells its makers of each session that is opened, unless it is told not to: nothing of Folio leaves."""

import os


def disable_telemetry() -> None:
    """Keep ONNX Runtime silent; has to come before its import. Whoever has set its own variable is left alone."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
