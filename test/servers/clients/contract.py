"""Messages and methods of a descriptor set, for grpcio without generated code."""

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

OPTIONS = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]


class Contract:
    """Reads a FileDescriptorSet, as `buf build proto -o FILE` writes it."""

    def __init__(self, path):
        self.pool = descriptor_pool.DescriptorPool()
        files = descriptor_pb2.FileDescriptorSet()
        with open(path, "rb") as file:
            files.ParseFromString(file.read())
        for proto in files.file:
            self.pool.Add(proto)
        self.factory = message_factory.MessageFactory(self.pool)

    def message(self, name):
        return self.factory.GetPrototype(self.pool.FindMessageTypeByName(name))

    def method(self, channel, service, name):
        """The method as a callable, unary or streaming as its contract says."""
        found = self.pool.FindServiceByName(service).FindMethodByName(name)
        proto = descriptor_pb2.MethodDescriptorProto()
        found.CopyToProto(proto)
        kinds = ("unary", "stream")
        open_method = getattr(channel, f"{kinds[proto.client_streaming]}_{kinds[proto.server_streaming]}")
        return open_method(
            f"/{service}/{name}",
            request_serializer=self.factory.GetPrototype(found.input_type).SerializeToString,
            response_deserializer=self.factory.GetPrototype(found.output_type).FromString,
        )


def connect(target):
    return grpc.insecure_channel(target, options=OPTIONS)
