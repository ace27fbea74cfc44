"""Calls proto.Parser/Parse with grpcio: parse.py TARGET DESCRIPTORS CONTENT..., prints an answer a line."""

import sys

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

target, descriptors, *contents = sys.argv[1:]

pool = descriptor_pool.DescriptorPool()
files = descriptor_pb2.FileDescriptorSet()
with open(descriptors, "rb") as file:
    files.ParseFromString(file.read())
for proto in files.file:
    pool.Add(proto)
factory = message_factory.MessageFactory(pool)
Request = factory.GetPrototype(pool.FindMessageTypeByName("proto.Request"))
Response = factory.GetPrototype(pool.FindMessageTypeByName("proto.Response"))

options = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]
with grpc.insecure_channel(target, options=options) as channel:
    parse = channel.unary_unary(
        "/proto.Parser/Parse",
        request_serializer=Request.SerializeToString,
        response_deserializer=Response.FromString,
    )
    for content in contents:
        print(parse(Request(content=content.encode()), timeout=20).content.decode())
