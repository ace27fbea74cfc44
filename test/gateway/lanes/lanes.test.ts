import { setImmediate as turn } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { envelope, grpcStatusOf, openHttp2, sendHttp2 } from "../../e2e/raw.ts";
import { openGatewayForTest } from "../gateway-server.ts";
import { EchoMessageSchema, Library } from "../testproto/gen/engage/test/v1/library_pb.ts";

const path = "/engage.test.v1.Library/Echo";
const grpc = { ":path": path, "content-type": "application/grpc" };
const hello = envelope(Buffer.from([0x0a, 2, 0x68, 0x69]));

const protocols: readonly [name: string, open: (baseUrl: string) => Transport][] = [
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["Connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
];

describe.each([true, false])("with the lanes %j", (lanes) => {
  test("a message in single bytes", async () => {
    const { url } = await openGatewayForTest({ lanes });
    using request = openHttp2(url, grpc);
    for (const byte of hello) {
      request.stream.write(Buffer.from([byte]));
      await turn();
    }
    request.stream.end();
    const answer = await request.answer;
    expect([grpcStatusOf(answer), answer.body]).toEqual([0, hello]);
  });

  test("a message whose end comes without data", async () => {
    const { url } = await openGatewayForTest({ lanes });
    using request = openHttp2(url, grpc);
    request.stream.write(hello);
    await turn();
    request.stream.end();
    expect(grpcStatusOf(await request.answer)).toBe(0);
  });

  describe.each(protocols)("interceptors, by %s", (_name, open) => {
    test("see the call, outermost first, and what came of it", async () => {
      const seen: unknown[] = [];
      const note =
        (name: string): Interceptor =>
        (next) =>
        async (request) => {
          seen.push([
            name,
            request.method.name,
            request.service.typeName,
            request.requestMethod,
            request.stream,
          ]);
          seen.push([new URL(request.url).pathname, request.header.get("x-asked"), request.signal.aborted]);
          const response = await next(request);
          seen.push([name, response.header.get("x-echo"), response.stream, response.method.name]);
          response.header.set("x-seen", name);
          response.trailer.set("x-trailed", name);
          return response;
        };
      const { url } = await openGatewayForTest({ lanes, interceptors: [note("outer"), note("inner")] });
      let header = new Headers();
      let trailer = new Headers();
      await createClient(Library, open(url)).echo(
        { text: "hi" },
        {
          headers: { "x-asked": "why" },
          onHeader: (received) => {
            header = received;
          },
          onTrailer: (received) => {
            trailer = received;
          },
        },
      );
      const call = ["Echo", "engage.test.v1.Library", "POST", false];
      expect(seen).toEqual([
        ["outer", ...call],
        [path, "why", false],
        ["inner", ...call],
        [path, "why", false],
        ["inner", "hi", false, "Echo"],
        ["outer", "hi", false, "Echo"],
      ]);
      expect([header.get("x-seen"), trailer.get("x-trailed")]).toEqual(["outer", "outer"]);
    });

    test("can refuse", async () => {
      const refuse: Interceptor = () => async () => {
        throw new ConnectError("not today", Code.FailedPrecondition);
      };
      const { url, seen } = await openGatewayForTest({ lanes, interceptors: [refuse] });
      const calling = createClient(Library, open(url)).echo({});
      await expect(calling).rejects.toMatchObject({ code: Code.FailedPrecondition, rawMessage: "not today" });
      expect(seen.contexts).toEqual([]);
    });

    test("can fail, which tells the caller nothing", async () => {
      const fail: Interceptor = () => async () => {
        throw new TypeError("a secret of ours");
      };
      const { url, faults } = await openGatewayForTest({ lanes, interceptors: [fail] });
      const error = ConnectError.from(
        await createClient(Library, open(url))
          .echo({})
          .catch((reason: unknown) => reason),
      );
      expect([error.code, error.rawMessage]).toEqual([Code.Internal, expect.not.stringContaining("secret")]);
      expect(faults.length).toBe(1);
    });

    test("can change an answer", async () => {
      const shout: Interceptor = (next) => async (request) => {
        const response = await next(request);
        return Object.assign(Object.create(response) as typeof response, {
          message: create(EchoMessageSchema, { text: "HI" }),
        });
      };
      const { url } = await openGatewayForTest({ lanes, interceptors: [shout] });
      expect((await createClient(Library, open(url)).echo({ text: "hi" })).text).toBe("HI");
    });
  });
});

describe("what HTTP/2 does not let pass", () => {
  test.each(["connection", "transfer-encoding", "upgrade"])(
    "a handler that sets %s has failed",
    async (name) => {
      const { url, faults } = await openGatewayForTest({
        library: {
          echo(request, { responseHeader }) {
            responseHeader.set(name, "close");
            return request;
          },
        },
      });
      expect(grpcStatusOf(await sendHttp2(url, grpc, hello))).toBe(Code.Internal);
      expect(faults.length).toBe(1);
    },
  );

  test("a handler that sets such a trailer breaks its call alone", async () => {
    const { url, faults, settled } = await openGatewayForTest({
      library: {
        echo(request, { responseTrailer }) {
          if (request.text === "hi") responseTrailer.set("connection", "close");
          return request;
        },
      },
    });
    using broken = openHttp2(url, grpc);
    broken.stream.end(hello);
    await broken.answer;
    expect(faults.length).toBe(1);
    expect(grpcStatusOf(await sendHttp2(url, grpc, envelope(Buffer.alloc(0))))).toBe(0);
    await settled(2);
  });
});
