import { Code, createClient } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../base/text/digest.ts";
import { createAuthorizer } from "../../../gateway/auth.ts";
import { recordOf } from "../../../gateway/call/record.ts";
import { openGatewayForTest, type TestGatewayOptions } from "../gateway-server.ts";
import { Failing, Library } from "../testproto/gen/engage/test/v1/library_pb.ts";

const peer = { address: "192.0.2.7", secure: false };

async function open(headers: Readonly<Record<string, string>> = {}, options: TestGatewayOptions = {}) {
  const server = await openGatewayForTest(options);
  const transport = server.gateway.callsOf({ headers, peer });
  return { ...server, library: createClient(Library, transport), failing: createClient(Failing, transport) };
}

const authorize = createAuthorizer({
  mode: "keys",
  keys: [
    { name: "all", sha256: sha256Hex("key-all"), methods: ["*"] },
    { name: "other", sha256: sha256Hex("key-other"), methods: ["engage.test.v1.Failing/*"] },
    { name: "read", sha256: sha256Hex("key-read"), methods: ["*"], access: "read" },
  ],
});

describe("a call within the process", () => {
  it("has the headers, the key and the peer of its request, and is seen by observers", async () => {
    const headers = { authorization: "Bearer key-all", "x-request-id": "r-1" };
    const { library, seen, finished } = await open(headers, { authorize });
    await library.echo({});
    const context = seen.contexts.at(-1)!;
    expect(context.requestHeader.get("authorization")).toBe("Bearer key-all");
    expect(recordOf(context.values)).toMatchObject({
      caller: { kind: "key", name: "all" },
      protocol: "mcp",
      peer,
      requestId: "r-1",
    });
    expect(finished).toHaveLength(1);
    expect(finished[0]?.code).toBeUndefined();
  });

  it.each([
    ["no key", {}, Code.Unauthenticated],
    ["a key for other methods", { authorization: "Bearer key-other" }, Code.PermissionDenied],
    ["a key that may only read", { authorization: "Bearer key-read" }, Code.PermissionDenied],
  ])("is refused with %s", async (_what, headers, code) => {
    const { library, seen, finished } = await open(headers as Record<string, string>, { authorize });
    await expect(library.echo({})).rejects.toMatchObject({ code });
    expect(seen.contexts).toEqual([]);
    expect(finished.map((record) => record.code)).toEqual([code]);
  });

  it("hides what is not for callers", async () => {
    const { library, faults } = await open(
      {},
      {
        library: {
          echo() {
            throw new Error("the password is abc");
          },
        },
      },
    );
    await expect(library.echo({})).rejects.toMatchObject({
      code: Code.Internal,
      rawMessage: expect.stringMatching(/^internal error, request id /),
    });
    expect(faults).toHaveLength(1);
  });

  it("ends at its deadline, and when its caller leaves", async () => {
    const { library, settled } = await open({}, { library: { echo: () => new Promise(() => {}) } });
    await expect(library.echo({}, { timeoutMs: 20 })).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    const gone = AbortSignal.abort();
    await expect(library.echo({}, { signal: gone })).rejects.toMatchObject({ code: Code.Canceled });
    const leaving = new AbortController();
    const call = library.echo({}, { signal: leaving.signal });
    leaving.abort();
    await expect(call).rejects.toMatchObject({ code: Code.Canceled });
    expect(await settled(3)).toHaveLength(3);
  });

  it("is unary, and of a service that is served", async () => {
    const { library } = await open();
    const messages = library.watch({})[Symbol.asyncIterator]();
    await expect(messages.next()).rejects.toMatchObject({
      code: Code.Unimplemented,
      rawMessage: "engage.test.v1.Library/Watch cannot be called within this process",
    });
  });
});
