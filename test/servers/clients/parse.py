"""Calls proto.Parser/Parse with grpcio: parse.py TARGET DESCRIPTORS CONTENT..., prints an answer a line."""

import sys

from contract import Contract, connect

target, descriptors, *contents = sys.argv[1:]
contract = Contract(descriptors)
Request = contract.message("proto.Request")

with connect(target) as channel:
    parse = contract.method(channel, "proto.Parser", "Parse")
    for content in contents:
        print(parse(Request(content=content.encode()), timeout=20).content.decode())
