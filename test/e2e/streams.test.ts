import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Health, HealthCheckResponse_ServingStatus as Status } from "../../gen/grpc/health/v1/health_pb.ts";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { openGateway, type TestGateway } from "../gateway/gateway-server.ts";
import { Library } from "../gateway/testproto/gen/engage/test/v1/library_pb.ts";

const transports: readonly [name: string, open: (baseUrl: string) => Transport][] = [
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["gRPC-Web on HTTP/1.1", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
  ["gRPC-Web on HTTP/2", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "2" })],
  ["Connect on HTTP/1.1", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
  ["Connect on HTTP/2", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })],
  [
    "Connect JSON",
    (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat: false }),
  ],
];

describe.each([true, false])("with the lanes %j", (lanes) => {
  let server: TestGateway;
  beforeAll(async () => {
    server = await openGateway({
      lanes,
      library: {
        async collect(requests, { responseTrailer }) {
          let texts = "";
          for await (const { text } of requests) texts += text;
          responseTrailer.set("x-count", String(texts.length));
          return { text: texts };
        },
      },
    });
  });
  afterAll(() => server.gateway.drain(0));

  describe.each(transports)("%s", (name, open) => {
    const numbersOf = async (messages: AsyncIterable<{ number: number }>, into: number[] = []) => {
      for await (const { number } of messages) into.push(number);
      return into;
    };

    test("a stream of answers", async () => {
      const client = createClient(Library, open(server.url));
      let header = new Headers();
      const answers = client.watch(
        { count: 3 },
        {
          headers: { "x-request-id": "stream-1" },
          onHeader: (received) => {
            header = received;
          },
        },
      );
      expect(await numbersOf(answers)).toEqual([0, 1, 2]);
      expect(header.get("x-request-id")).toBe("stream-1");
    });

    test("an error after two answers", async () => {
      const client = createClient(Library, open(server.url));
      const received: number[] = [];
      const outcome = await numbersOf(client.watch({ count: -1, failAfter: 2 }), received).catch(
        ConnectError.from,
      );
      expect(outcome).toMatchObject({ code: Code.Unavailable, rawMessage: "no more" });
      expect(received).toEqual([0, 1]);
      expect((await server.settled()).at(-1)?.code).toBe(Code.Unavailable);
    });

    test("a reader that stops early stops the handler", async () => {
      const client = createClient(Library, open(server.url));
      for await (const { number } of client.watch({ count: -1 })) {
        expect(number).toBe(0);
        break;
      }
      expect((await server.settled()).at(-1)?.code).toBe(Code.Canceled);
      expect(server.seen.contexts.at(-1)?.signal.aborted).toBe(true);
    });

    test("a deadline ends a stream", async () => {
      const client = createClient(Library, open(server.url));
      const outcome = await numbersOf(client.watch({ count: -1 }, { timeoutMs: 50 })).catch(
        ConnectError.from,
      );
      expect(outcome).toMatchObject({ code: Code.DeadlineExceeded });
      await server.settled();
    });

    test("a stream of requests", async () => {
      const client = createClient(Library, open(server.url));
      async function* requests() {
        for (const text of ["a", "b", "c"]) yield { text };
      }
      let trailer = new Headers();
      const onTrailer = (received: Headers): void => {
        trailer = received;
      };
      expect(await client.collect(requests(), { onTrailer })).toMatchObject({ text: "abc" });
      expect(trailer.get("x-count")).toBe("3");
    });

    test("health: Check", async () => {
      const client = createClient(Health, open(server.url));
      for (const service of ["", "engage.test.v1.Library"]) {
        expect((await client.check({ service })).status).toBe(Status.SERVING);
      }
      await expect(client.check({ service: "nope" })).rejects.toMatchObject({ code: Code.NotFound });
    });

    test("health: Watch", async () => {
      const client = createClient(Health, open(server.url));
      const stop = new AbortController();
      const seen: Status[] = [];
      const watching = (async () => {
        for await (const { status } of client.watch({ service: name }, { signal: stop.signal }))
          seen.push(status);
      })().catch(ConnectError.from);
      await vi.waitFor(() => expect(seen).toEqual([Status.SERVICE_UNKNOWN]));
      server.gateway.health.set(name, "serving");
      await vi.waitFor(() => expect(seen.length).toBe(2));
      server.gateway.health.set(name, "not serving");
      await vi.waitFor(() => expect(seen.length).toBe(3));
      stop.abort();
      expect(await watching).toMatchObject({ code: Code.Canceled });
      expect(seen).toEqual([Status.SERVICE_UNKNOWN, Status.SERVING, Status.NOT_SERVING]);
    });
  });

  test.each([
    ["v1", ServerReflection],
    ["v1alpha", ServerReflectionAlpha],
  ])(
    "reflection %s gives what a client needs to call a method it has never heard of",
    async (_version, service) => {
      const client = createClient(
        service as typeof ServerReflection,
        createGrpcTransport({ baseUrl: server.url }),
      );
      async function* questions() {
        yield { messageRequest: { case: "listServices", value: "" } as const };
        yield { messageRequest: { case: "fileContainingSymbol", value: "engage.test.v1.Library" } as const };
      }
      const answers = [];
      for await (const { messageResponse } of client.serverReflectionInfo(questions()))
        answers.push(messageResponse);
      const [list, files] = answers as unknown as [
        { value: { service: { name: string }[] } },
        { value: { fileDescriptorProto: Uint8Array[] } },
      ];
      expect(list.value.service.map(({ name }) => name)).toEqual(
        expect.arrayContaining(["engage.test.v1.Library", "grpc.health.v1.Health", service.typeName]),
      );
      const file = files.value.fileDescriptorProto.map(
        (bytes): FileDescriptorProto => fromBinary(FileDescriptorProtoSchema, bytes),
      );
      const registry = createFileRegistry(file[0]!, (name) => file.find((one) => one.name === name));
      const unheard = registry.getService("engage.test.v1.Library")!.method[
        "echo"
      ] as typeof Library.method.echo;
      const answer = await createGrpcTransport({ baseUrl: server.url }).unary(
        unheard,
        undefined,
        undefined,
        undefined,
        {
          text: "hi",
        },
      );
      expect(answer.message).toMatchObject({ text: "hi" });
    },
  );
});
