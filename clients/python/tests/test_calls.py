import unittest
from concurrent.futures import ThreadPoolExecutor

import grpc
from engage_client import Dead, MessageHandler, Retries, Retry, connect, create_server, error_details, retry_delay
from engage_client.gen.engage.analysis.v1 import analysis_proxy_pb2, analysis_proxy_pb2_grpc
from engage_client.gen.engage.channel.v1 import channel_sender_pb2, channel_sender_pb2_grpc
from engage_client.gen.engage.handler.v1 import message_handler_pb2, message_handler_pb2_grpc
from engage_client.retry import RetryInterceptor, changes_nothing
from google.rpc import error_details_pb2, status_pb2

ANALYZE = "engage.analysis.v1.AnalysisProxy/AnalyzeEvents"
RUN = "engage.channel.v1.ChannelSender/RunTask"


def fail(context, code, delay_seconds=None):
    """Ends a call as the service does: with RetryInfo in the trailers."""
    status = status_pb2.Status(code=code.value[0], message="not now")
    if delay_seconds is not None:
        info = error_details_pb2.RetryInfo()
        info.retry_delay.FromMilliseconds(int(delay_seconds * 1000))
        status.details.add().Pack(info)
    context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
    context.abort(code, "not now")


class Server(analysis_proxy_pb2_grpc.AnalysisProxyServicer, channel_sender_pb2_grpc.ChannelSenderServicer):
    """Fails as often as `failures` has entries."""

    def __init__(self):
        self.failures = []
        self.calls = 0
        self.keys = []

    def _answer(self, context, response):
        self.calls += 1
        self.keys.append(dict(context.invocation_metadata()).get("authorization"))
        if self.failures:
            fail(context, *self.failures.pop(0))
        return response

    def AnalyzeEvents(self, request, context):
        return self._answer(context, analysis_proxy_pb2.AnalyzeEventsResponse(return_message="success"))

    def DownloadEvents(self, request, context):
        yield self._answer(context, analysis_proxy_pb2.DownloadEventsResponse())

    def RunTask(self, request, context):
        return self._answer(context, channel_sender_pb2.RunTaskResponse())


UNAVAILABLE = grpc.StatusCode.UNAVAILABLE
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED


class Calls(unittest.TestCase):
    def setUp(self):
        self.servicer = Server()
        self.server = grpc.server(ThreadPoolExecutor(2))
        analysis_proxy_pb2_grpc.add_AnalysisProxyServicer_to_server(self.servicer, self.server)
        channel_sender_pb2_grpc.add_ChannelSenderServicer_to_server(self.servicer, self.server)
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()
        self.addCleanup(self.server.stop, None)

    def call(self, retries, method, timeout=20):
        """Makes a call and returns its code with the delays before its repeats."""
        delays = []
        channel = grpc.intercept_channel(
            grpc.insecure_channel(self.address), RetryInterceptor(retries, delays.append)
        )
        self.addCleanup(channel.close)
        try:
            if method == ANALYZE:
                stub = analysis_proxy_pb2_grpc.AnalysisProxyStub(channel)
                stub.AnalyzeEvents(analysis_proxy_pb2.AnalyzeEventsRequest(), timeout=timeout)
            else:
                stub = channel_sender_pb2_grpc.ChannelSenderStub(channel)
                stub.RunTask(channel_sender_pb2.RunTaskRequest(), timeout=timeout)
        except grpc.RpcError as error:
            return error.code(), delays
        return grpc.StatusCode.OK, delays

    def test_repeats(self):
        ok = grpc.StatusCode.OK
        invalid = grpc.StatusCode.INVALID_ARGUMENT
        repeatable = Retries(repeatable={RUN})
        for name, failures, method, retries, code, delays in [
            ("no failure", [], ANALYZE, Retries(), ok, []),
            ("the delay of the service", [(UNAVAILABLE, 5), (EXHAUSTED, 1.5)], ANALYZE, Retries(), ok, [5, 1.5]),
            ("at most four calls", [(UNAVAILABLE, 1)] * 9, ANALYZE, Retries(), UNAVAILABLE, [1, 1, 1]),
            ("a delay that is too long", [(UNAVAILABLE, 31)], ANALYZE, Retries(), UNAVAILABLE, []),
            ("a fault of the call", [(invalid, 1)], ANALYZE, Retries(), invalid, []),
            ("a message that is too large", [(EXHAUSTED,)], ANALYZE, Retries(), EXHAUSTED, []),
            ("a change that may have been made", [(UNAVAILABLE, 1)], RUN, Retries(), UNAVAILABLE, []),
            ("a change that was refused before", [(EXHAUSTED, 1)], RUN, Retries(), ok, [1]),
            ("a change that may be repeated", [(UNAVAILABLE, 1)], RUN, repeatable, ok, [1]),
        ]:
            with self.subTest(name):
                self.servicer.failures = list(failures)
                self.servicer.calls = 0
                self.assertEqual(self.call(retries, method), (code, delays))
                self.assertEqual(self.servicer.calls, len(delays) + 1)

    def test_own_delays_grow(self):
        self.servicer.failures = [(UNAVAILABLE,)] * 3
        code, delays = self.call(Retries(first_delay_seconds=1), ANALYZE)
        self.assertEqual(code, grpc.StatusCode.OK)
        for delay, longest in zip(delays, [1, 2, 4], strict=True):
            self.assertTrue(longest / 2 <= delay <= longest, delay)

    def test_no_repeat_after_the_deadline(self):
        self.servicer.failures = [(UNAVAILABLE, 25)]
        self.assertEqual(self.call(Retries(), ANALYZE, timeout=20), (UNAVAILABLE, []))

    def test_details(self):
        self.servicer.failures = [(EXHAUSTED, 2.5)]
        with connect(self.address, retries=None) as channel, self.assertRaises(grpc.RpcError) as raised:
            analysis_proxy_pb2_grpc.AnalysisProxyStub(channel).AnalyzeEvents(
                analysis_proxy_pb2.AnalyzeEventsRequest(), timeout=20
            )
        self.assertEqual(retry_delay(raised.exception), 2.5)
        self.assertEqual([type(one).__name__ for one in error_details(raised.exception)], ["RetryInfo"])

    def test_key(self):
        with connect(self.address, key="demo-token") as channel:
            stub = analysis_proxy_pb2_grpc.AnalysisProxyStub(channel)
            stub.AnalyzeEvents(analysis_proxy_pb2.AnalyzeEventsRequest(), timeout=20)
            list(stub.DownloadEvents(analysis_proxy_pb2.DownloadEventsRequest(), timeout=20))
        self.assertEqual(self.servicer.keys, ["Bearer demo-token"] * 2)

    def test_what_changes_nothing(self):
        self.assertTrue(changes_nothing(ANALYZE))
        self.assertFalse(changes_nothing(RUN))
        self.assertFalse(changes_nothing("engage.analysis.v1.AnalysisProxy/NoSuchMethod"))


class Handler(MessageHandler):
    def handle_message(self, message, batch):
        if message.push_id == "gone":
            raise Dead("account closed")
        if message.push_id == "busy":
            raise Retry("queue is full", 1.5)
        if message.push_id == "later":
            raise Retry("queue is full")
        if message.push_id == "broken":
            raise KeyError("secret-7")


class Handlers(unittest.TestCase):
    def open(self, **options):
        server = create_server(Handler(), **options)
        address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        server.start()
        self.addCleanup(server.stop, None)
        return address

    def handle(self, channel, *push_ids):
        request = message_handler_pb2.HandleRequest()
        for index, push_id in enumerate(push_ids, 1):
            request.batch.messages.add(index=index, push_id=push_id)
        return message_handler_pb2_grpc.MessageHandlerStub(channel).Handle(request, timeout=20).results

    def test_results(self):
        with connect(self.open()) as channel, self.assertLogs("engage_client", "ERROR"):
            results = self.handle(channel, "ann", "gone", "busy", "later", "broken")
        self.assertEqual([one.index for one in results], [1, 2, 3, 4, 5])
        kinds = [one.WhichOneof("outcome") for one in results]
        self.assertEqual(kinds, ["done", "dead", "retry_after", "retry_after", "retry_after"])
        _, gone, busy, later, broken = results
        self.assertEqual((gone.dead.reason, busy.retry_after.reason), ("account closed", "queue is full"))
        self.assertEqual(busy.retry_after.delay.ToMilliseconds(), 1500)
        self.assertFalse(later.retry_after.HasField("delay"))
        self.assertEqual(broken.retry_after.reason, "the handler raised KeyError")

    def test_bearer(self):
        address = self.open(bearer="target-key")
        with connect(address, key="target-key") as channel:
            self.assertEqual(len(self.handle(channel, "ann")), 1)
        for key in [None, "another"]:
            with self.subTest(key), connect(address, key=key) as channel:
                with self.assertRaises(grpc.RpcError) as raised:
                    self.handle(channel, "ann")
                self.assertEqual(raised.exception.code(), grpc.StatusCode.UNAUTHENTICATED)


if __name__ == "__main__":
    unittest.main()
