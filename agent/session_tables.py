"""The tables of the conversations, and of how their answers came about."""

import sqlalchemy as sa

from retrieval.database import PlainText

MAX_SESSION_CHARS = 64

tables = sa.MetaData()

turns = sa.Table(
    "turns",
    tables,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("session", sa.String(MAX_SESSION_CHARS), nullable=False, index=True),
    sa.Column("asked_at", sa.String(32), nullable=False),
    sa.Column("question", PlainText, nullable=False),
    sa.Column("answer", PlainText, nullable=False),
    sa.Column("refused", sa.Boolean, nullable=False),
    sa.Column("citations", sa.JSON, nullable=False),
    sa.Column("viewer", sa.JSON, nullable=False),
    sa.Column("trace_id", sa.String(64), nullable=False),
    sa.Column("stale", sa.String(16)),  # a Staleness, once a person was told of it
)

summaries = sa.Table(
    "summaries",
    tables,
    sa.Column("session", sa.String(MAX_SESSION_CHARS), primary_key=True),
    sa.Column("viewer", sa.String(64), primary_key=True),  # digest of the groups that may see it
    sa.Column("text", PlainText, nullable=False),
    sa.Column("through", sa.Integer, nullable=False),  # id of the last turn that is in it
)

traces = sa.Table(
    "traces",
    tables,
    sa.Column("trace_id", sa.String(32), primary_key=True),
    sa.Column("session", sa.String(MAX_SESSION_CHARS), nullable=False, index=True),
    sa.Column("started_at", sa.String(40), nullable=False),
    sa.Column("record", sa.JSON, nullable=False),
)
