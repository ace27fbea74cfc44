import { Code, ConnectError, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../base/text/digest.ts";
import { createAuthorizer } from "../../gateway/auth.ts";
import type { Authorize } from "../../gateway/gateway-context.ts";
import type { GatewayLimits } from "../../gateway/limits.ts";
import { Health } from "../../gen/grpc/health/v1/health_pb.ts";
import { openGatewayForTest } from "./gateway-server.ts";
import { Library } from "./testproto/gen/engage/test/v1/library_pb.ts";

const transports = {
  grpc: (baseUrl: string) => createGrpcTransport({ baseUrl }),
  "grpc-web": (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: "2" }),
  connect: (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1" }),
};

/** A gateway whose callers need one of some keys, and whose streams never end by themselves. */
async function openGuarded(lanes: boolean, limits: Partial<GatewayLimits> = {}) {
  const keys = new Set(["kept", "removed"]);
  const authorize: Authorize = (record, served, header) => {
    const rules = Array.from(keys, (key) => ({ name: key, sha256: sha256Hex(key), methods: ["*"] }));
    createAuthorizer({ mode: "keys", keys: rules })(record, served, header);
  };
  const server = await openGatewayForTest({
    lanes,
    limits,
    authorize,
    library: {
      async *watch() {
        yield { number: 1 };
        await new Promise(() => {});
      },
      async collect(messages) {
        for await (const message of messages) if (message.text === "last") return message;
        return {};
      },
    },
  });
  return { ...server, keys };
}

/** Returns the code with which a stream ends; "open" if it has not ended after its first message. */
async function follow(messages: AsyncIterable<unknown>) {
  const iterator = messages[Symbol.asyncIterator]();
  await iterator.next();
  let state: string = "open";
  const ended = iterator.next().then(
    () => {
      state = "ended";
    },
    (error: unknown) => {
      state = Code[ConnectError.from(error).code];
    },
  );
  return { state: () => state, ended };
}

describe.each([true, false])("streams with the lanes %j", (lanes) => {
  it.each(Object.entries(transports))("of a removed key end over %s, others go on", async (_name, open) => {
    const { gateway, keys, url, started } = await openGuarded(lanes);
    const client = createClient(Library, open(url));
    const watch = (key: string) => follow(client.watch({}, { headers: { "x-api-key": key } }));
    const [kept, removed] = [await watch("kept"), await watch("removed")];
    await gateway.recheckStreams();
    expect([kept.state(), removed.state()]).toEqual(["open", "open"]);
    keys.delete("removed");
    await gateway.recheckStreams();
    await removed.ended;
    expect([kept.state(), removed.state()]).toEqual(["open", "Unauthenticated"]);
    // The log names the caller whose stream has ended.
    expect(started.map(({ caller }) => caller.name)).toEqual(["kept", "removed"]);
  });

  it("that need no key go on when theirs is removed, and count as streams without one", async () => {
    const { gateway, keys, url, started } = await openGuarded(lanes, { openStreamsPerConnection: 1 });
    const client = createClient(Health, transports.grpc(url));
    const watch = () => follow(client.watch({}, { headers: { "x-api-key": "removed" } }));
    const first = await watch();
    const second = await watch();
    keys.delete("removed");
    await gateway.recheckStreams();
    await gateway.recheckStreams();
    await second.ended;
    expect([first.state(), second.state()]).toEqual(["open", "ResourceExhausted"]);
    expect(started.map(({ caller }) => caller.kind)).toEqual(["anonymous", "anonymous"]);
  });

  it("of a removed key end while the server waits for messages", async () => {
    const { gateway, keys, url, started, settled } = await openGuarded(lanes);
    const client = createClient(Library, transports.grpc(url));
    const { promise: never, resolve } = Promise.withResolvers<void>();
    async function* messages() {
      yield { text: "first" };
      await never;
    }
    const collected = client.collect(messages(), { headers: { "x-api-key": "removed" } });
    collected.catch(() => undefined);
    await expect.poll(() => started.length).toBe(1);
    keys.delete("removed");
    await gateway.recheckStreams();
    await expect(collected).rejects.toMatchObject({ code: Code.Unauthenticated });
    resolve();
    expect((await settled()).map(({ code }) => code)).toEqual([Code.Unauthenticated]);
  });

  it("of a removed key are cut off over REST, also where the caller does not read", async () => {
    const { gateway, keys, url } = await openGuarded(lanes);
    const response = await fetch(`${url}/v1/books:rows`, { headers: { "x-api-key": "removed" } });
    keys.delete("removed");
    await gateway.recheckStreams();
    await expect(response.text()).rejects.toThrow();
    expect((await fetch(`${url}/v1/books:rows`, { headers: { "x-api-key": "removed" } })).status).toBe(401);
  });
});
