import { Code, ConnectError, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, it } from "vitest";
import type { Authorize } from "../../gateway/gateway-context.ts";
import { Health } from "../../gen/grpc/health/v1/health_pb.ts";
import { openGatewayForTest } from "./gateway-server.ts";
import { Library } from "./testproto/gen/engage/test/v1/library_pb.ts";

const transports = {
  grpc: (baseUrl: string) => createGrpcTransport({ baseUrl }),
  "grpc-web": (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: "2" }),
  connect: (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1" }),
};

/** A gateway whose callers need one of some keys, and whose streams never end by themselves. */
async function openGuarded(lanes: boolean) {
  const keys = new Set(["kept", "removed"]);
  const authorize: Authorize = (record, _served, header) => {
    const key = header.get("x-api-key") ?? "";
    if (!keys.has(key)) throw new ConnectError("the key is not known", Code.Unauthenticated);
    record.caller = { kind: "key", name: key };
  };
  const server = await openGatewayForTest({
    lanes,
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
    const { gateway, keys, url } = await openGuarded(lanes);
    const client = createClient(Library, open(url));
    const watch = (key: string) => follow(client.watch({}, { headers: { "x-api-key": key } }));
    const [kept, removed] = [await watch("kept"), await watch("removed")];
    await gateway.recheckStreams();
    expect([kept.state(), removed.state()]).toEqual(["open", "open"]);
    keys.delete("removed");
    await gateway.recheckStreams();
    await removed.ended;
    expect([kept.state(), removed.state()]).toEqual(["open", "Unauthenticated"]);
  });

  it("of a removed key end on the lane of health watches", async () => {
    const { gateway, keys, url } = await openGuarded(lanes);
    const client = createClient(Health, transports.grpc(url));
    const watched = await follow(client.watch({}, { headers: { "x-api-key": "removed" } }));
    keys.delete("removed");
    await gateway.recheckStreams();
    await watched.ended;
    expect(watched.state()).toBe("Unauthenticated");
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
