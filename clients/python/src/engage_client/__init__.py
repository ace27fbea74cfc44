"""Client of an engage server.

`engage_client.gen` has the messages and stubs of the contract; this module has what makes them easier to use.
"""

from engage_client.channel import connect
from engage_client.handler import Dead, MessageHandler, Retry, create_server
from engage_client.query import Query, all_of, any_of, where, words_of
from engage_client.retry import Retries, error_details, retry_delay
from engage_client.rows import event_rows, user_rows
from engage_client.webhook import (
    SIGNATURE_HEADER,
    Batch,
    Message,
    read_batch,
    sign,
    verify_signature,
    write_failure,
    write_reply,
)

__all__ = [
    "SIGNATURE_HEADER",
    "Batch",
    "Dead",
    "Message",
    "MessageHandler",
    "Query",
    "Retries",
    "Retry",
    "all_of",
    "any_of",
    "connect",
    "create_server",
    "error_details",
    "event_rows",
    "read_batch",
    "retry_delay",
    "sign",
    "user_rows",
    "verify_signature",
    "where",
    "words_of",
    "write_failure",
    "write_reply",
]
