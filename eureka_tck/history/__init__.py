"""
The recorded timeline of a chaos run: written while it goes on, read and judged afterwards.

`event` is the schema of a line, `writer` and `reader` move lines to and from a file,
`operations`, `samples` and `spans` are the views that promises are written in.
Nothing here judges, and nothing but the writer and the reader touches a file.
"""

from eureka_tck.history.reader import History, HistoryError, read_history
from eureka_tck.history.writer import HistoryWriter

__all__ = ["History", "HistoryError", "HistoryWriter", "read_history"]
