"""Runs a ClickHouse server from the library of the npm package chdb.

usage: starter.py LIBRARY FOLDER HTTP_PORT TCP_PORT [ARGUMENT...]

The library has the command line of clickhouse-local, which listens when a
statement tells it to. The last statement never ends, and the server with it
only by a signal.
"""

import ctypes
import sys

library, folder, http_port, tcp_port, *more = sys.argv[1:]
statements = [
    "SYSTEM START LISTEN HTTP",
    "SYSTEM START LISTEN TCP",
    "SELECT sleepEachRow(3) FROM system.numbers FORMAT Null SETTINGS max_block_size = 1,"
    " function_sleep_max_microseconds_per_block = 0, max_execution_time = 0",
]
arguments = ["clickhouse-local", "--path", folder, "--listen_host", "127.0.0.1"]
arguments += ["--http_port", http_port, "--tcp_port", tcp_port, *more]
arguments += ["--query", "; ".join(statements)]

engine = ctypes.CDLL(library)
engine.chdb_query_cmdline.restype = ctypes.c_void_p
engine.chdb_result_error.restype = ctypes.c_char_p
engine.chdb_result_error.argtypes = [ctypes.c_void_p]
encoded = (ctypes.c_char_p * len(arguments))(*(argument.encode() for argument in arguments))
result = engine.chdb_query_cmdline(len(arguments), encoded)
sys.exit(f"the server ended: {engine.chdb_result_error(result)!r}")
