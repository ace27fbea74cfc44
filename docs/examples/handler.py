"""Handles messages: handler.py DESCRIPTORS [ADDRESS]. Needs grpcio and protobuf.

The descriptors hold the contract: npx buf build proto -o engage.binpb
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

pool = descriptor_pool.DescriptorPool()
with open(sys.argv[1], "rb") as file:
    for proto in descriptor_pb2.FileDescriptorSet.FromString(file.read()).file:
        pool.Add(proto)
# The older name of the same function is for protobuf before 4.22.
to_class = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
Request, Response = (
    to_class(pool.FindMessageTypeByName(f"engage.handler.v1.Handle{kind}")) for kind in ("Request", "Response")
)


def handle(request, context):
    """One result for each message: done, dead with a reason, or retry_after."""
    response = Response()
    for message in request.batch.messages:
        result = response.results.add(index=message.index)
        if "title" in message.params:
            print(f"to {message.push_id}: {message.params['title'].string_value}", flush=True)
            result.done.SetInParent()
        else:
            result.dead.reason = "title is missing"
    return response


method = grpc.unary_unary_rpc_method_handler(handle, Request.FromString, Response.SerializeToString)
server = grpc.server(ThreadPoolExecutor())
server.add_generic_rpc_handlers(
    [grpc.method_handlers_generic_handler("engage.handler.v1.MessageHandler", {"Handle": method})]
)
port = server.add_insecure_port(sys.argv[2] if len(sys.argv) > 2 else "127.0.0.1:9000")
server.start()
print(f"listening on port {port}", flush=True)
server.wait_for_termination()
