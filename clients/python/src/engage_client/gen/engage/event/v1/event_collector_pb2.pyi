from engage_client.gen.engage.event.v1 import ingest_pb2 as _ingest_pb2
from engage_client.gen.engage.event.v1 import track_pb2 as _track_pb2
from engage_client.gen.engage.gateway.v1 import options_pb2 as _options_pb2
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor
