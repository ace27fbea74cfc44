import type { HandlerContext } from "@connectrpc/connect";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordOf } from "../../gateway/call/record.ts";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RequestInfoSchema,
  RetryInfoSchema,
} from "../../gen/google/rpc/error_details_pb.ts";
import { openGateway, type TestGateway } from "../gateway/gateway-server.ts";
import type { EchoMessage } from "../gateway/testproto/gen/engage/test/v1/library_pb.ts";
import { clientKinds, type TestClient } from "./clients.ts";

type Handler = (request: EchoMessage, context: HandlerContext) => unknown;

const violations = [{ field: "books[3].name", description: 'is "é\u4e2d😀", valid is a name' }];

/** Behaviours of Echo for some texts, instead of echoing. */
const behaviours: Readonly<Record<string, Handler>> = {
  metadata(request, context) {
    context.responseHeader.set("x-answer", "one");
    context.responseHeader.append("x-answer", "two");
    context.responseHeader.set("x-answer-bin", "AAEC");
    context.responseTrailer.set("x-trailer", "three");
    return request;
  },
  "bad request"() {
    throw new ConnectError("book 3 has no name", Code.InvalidArgument, { "x-failed": "yes" }, [
      { desc: BadRequestSchema, value: { fieldViolations: violations } },
      { desc: ErrorInfoSchema, value: { reason: "NO_NAME", domain: "test", metadata: { book: "3" } } },
    ]);
  },
  nothing: () => undefined,
  "wrong types": () => ({ text: "a", number: "five", filters: 7 }),
  "throws Error": () => {
    throw new Error("a secret of ours");
  },
  "throws text": () => {
    throw "a secret of ours";
  },
  "throws nothing": () => {
    throw undefined;
  },
  "throws null": () => {
    throw null;
  },
  "rejects with an object": () => Promise.reject({ code: 3, message: "a secret of ours" }),
  "sets a header with a line break": (request, context) => {
    context.responseHeader.set("x-bad", "a\r\nx-injected: yes");
    return request;
  },
  "sets a header beyond Latin-1": (request, context) => {
    context.responseHeader.set("x-bad", "\u4e2d");
    return request;
  },
  "sets a trailer with a line break": (request, context) => {
    context.responseTrailer.set("x-bad", "a\nb");
    return request;
  },
  "sets a header with a bad name": (request, context) => {
    context.responseHeader.set("x bad", "a");
    return request;
  },
  "details of the wrong type": () => {
    throw new ConnectError("bad details", Code.NotFound, undefined, [
      { desc: RetryInfoSchema, value: { retryDelay: { seconds: "soon" as never } } },
    ]);
  },
};

const messages: Readonly<Record<string, string>> = {
  "long text": "x".repeat(100_000),
  "long Chinese": "\u4e2d".repeat(100_000),
  "lone surrogate": "a \ud800 b",
  "surrogate at the cut": `${"x".repeat(2047)}${"😀".repeat(3000)}`,
  "line breaks": "one\r\ntwo\nthree\0four",
  emoji: "😀 % %41 é",
};

describe.each([true, false])("with the lanes %j", (lanes) => {
  let server: TestGateway;
  beforeAll(async () => {
    server = await openGateway({
      lanes,
      library: {
        echo: ((request: EchoMessage, context: HandlerContext) => {
          server.seen.contexts.length = 0;
          server.seen.contexts.push(context);
          const message = messages[request.text];
          if (message !== undefined) throw new ConnectError(message, Code.FailedPrecondition);
          return (behaviours[request.text] ?? ((same) => same))(request, context);
        }) as never,
      },
    });
  });
  afterAll(() => server.gateway.drain(0));

  describe.each(clientKinds)("$name", ({ protocol, open }) => {
    let client: TestClient;
    beforeAll(() => {
      client = open(server.url);
    });
    afterAll(() => client[Symbol.dispose]());
    const failureOf = async (text: string): Promise<ConnectError> => {
      const outcome = await client.echo({ text }).catch((error: unknown) => error);
      expect(outcome).toBeInstanceOf(ConnectError);
      return outcome as ConnectError;
    };

    test("answers what it was asked", async () => {
      const { message } = await client.echo({ text: "é\u4e2d😀", number: -7 });
      expect(message).toMatchObject({ text: "é\u4e2d😀", number: -7 });
    });

    test("a handler that returns nothing answers an empty message", async () => {
      const { message } = await client.echo({ text: "nothing" });
      expect(message["text"] ?? "").toBe("");
    });

    test("a handler that returns the wrong types has failed", async () => {
      expect((await failureOf("wrong types")).code).toBe(Code.Internal);
      await client.echo({ text: "still there" });
    });

    test("the handler sees the caller's headers and what is known of the call", async () => {
      const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
      await client.echo({}, { headers: { "x-asked": "why", traceparent, "x-request-id": "my-id-1" } });
      const [context] = server.seen.contexts;
      expect(context?.requestHeader.get("x-asked")).toBe("why");
      expect(context?.service.typeName).toBe("engage.test.v1.Library");
      expect(context?.method.name).toBe("Echo");
      expect(new URL(context?.url ?? "").host).toBe(`127.0.0.1:${server.port}`);
      expect(recordOf(context!.values)).toMatchObject({
        traceparent,
        protocol,
        requestId: "my-id-1",
        peer: { address: "127.0.0.1", secure: false },
        caller: { kind: "anonymous" },
      });
    });

    test("headers and trailers of the handler reach the caller", async () => {
      const { header, trailer } = await client.echo({ text: "metadata" });
      expect(header.get("x-answer")).toBe("one, two");
      expect(header.get("x-answer-bin")).toBe("AAEC");
      // REST has no place for trailers.
      expect(trailer.get("x-trailer")).toBe(protocol === "rest" ? null : "three");
    });

    test("a usable request id is kept", async () => {
      const { header } = await client.echo({}, { headers: { "x-request-id": "abc-1" } });
      expect(header.get("x-request-id")).toBe("abc-1");
    });

    test.each(["", "two words", "x".repeat(129)])("the request id %j is replaced", async (given) => {
      const { header } = await client.echo({}, { headers: { "x-request-id": given } });
      const id = header.get("x-request-id");
      expect(id).toMatch(/^[\x21-\x7e]{8,128}$/);
      expect(id).not.toBe(given);
    });

    test("an error has its code, message, metadata and details", async () => {
      const error = await failureOf("bad request");
      expect(error.code).toBe(Code.InvalidArgument);
      expect(error.rawMessage).toBe("book 3 has no name");
      expect(error.findDetails(BadRequestSchema)).toMatchObject([{ fieldViolations: violations }]);
      expect(error.findDetails(ErrorInfoSchema)).toMatchObject([
        { reason: "NO_NAME", domain: "test", metadata: { book: "3" } },
      ]);
      expect(error.metadata.get("x-failed")).toBe("yes");
      expect(error.metadata.get("x-request-id")).toMatch(/./);
    });

    test.each(Object.keys(behaviours).slice(4))("%s: an internal error that tells nothing", async (text) => {
      const faults = server.faults.length;
      const error = await failureOf(text);
      expect(error.code).toBe(Code.Internal);
      expect(error.rawMessage).toMatch(/^internal error, request id \S+$/);
      const [info] = error.findDetails(RequestInfoSchema);
      expect(error.rawMessage).toContain(info?.requestId);
      expect(server.faults.length).toBe(faults + 1);
      await client.echo({ text: "still there" });
    });

    test.each(Object.keys(messages))("a message of %s arrives", async (text) => {
      const error = await failureOf(text);
      expect(error.code).toBe(Code.FailedPrecondition);
      const sent = messages[text]!.toWellFormed();
      const received = error.rawMessage.replace(/…$/, "");
      expect(received.length).toBeGreaterThanOrEqual(Math.min(sent.length, 300));
      expect(received.isWellFormed()).toBe(true);
      expect(sent.startsWith(received)).toBe(true);
    });
  });

  test("every call was reported once, and none is left", async () => {
    const finished = await server.settled();
    expect(new Set(finished).size).toBe(finished.length);
    expect(server.started.length).toBe(finished.length);
  });
});
