import { setImmediate as turn } from "node:timers/promises";
import { createClient, createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { describe, expect, it, vi } from "vitest";
import { createLateService, createLazyResource, gateService } from "../../../cmd/serve/lazy.ts";
import { ChannelSender } from "../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { EventCollector } from "../../../gen/engage/event/v1/event_collector_pb.ts";

describe("lazy resource", () => {
  const openable = () => {
    const log: string[] = [];
    const open = vi.fn(async () => ({ [Symbol.asyncDispose]: async () => void log.push("closed") }));
    return { log, open };
  };

  it("is opened once, and closed with it", async () => {
    const { log, open } = openable();
    const lazy = createLazyResource(open);
    expect(lazy.peek()).toBeUndefined();
    const [first, second] = await Promise.all([lazy.get(), lazy.get()]);
    expect(first).toBe(second);
    expect(lazy.peek()).toBe(first);
    await lazy[Symbol.asyncDispose]();
    expect([log, open.mock.calls.length, lazy.peek()]).toEqual([["closed"], 1, undefined]);
    await expect(lazy.get()).rejects.toThrow("it is closed");
  });

  it("is tried again after a failure", async () => {
    const { open } = openable();
    open.mockRejectedValueOnce(new Error("no"));
    const lazy = createLazyResource(open);
    expect(lazy.hasFailed()).toBe(false);
    await expect(lazy.get()).rejects.toThrow("no");
    expect(lazy.hasFailed()).toBe(true);
    expect(await lazy.get()).toBe(lazy.peek());
    expect(lazy.hasFailed()).toBe(false);
  });

  it("need not have been opened to be closed", async () => {
    const { log, open } = openable();
    await createLazyResource(open)[Symbol.asyncDispose]();
    expect([log, open.mock.calls.length]).toEqual([[], 0]);
  });
});

describe("gated service", () => {
  const context = undefined as never;
  const implementation = {
    ingest: () => ({ code: 0 }),
    async *trackStream() {
      yield { sequence: 1n };
    },
    healthCheck: () => ({}),
  };

  it("is called when the gate is open, and at once from then on", async () => {
    let opening: Promise<void> | undefined = Promise.resolve();
    const service = gateService(EventCollector, implementation as never, () => opening, ["ingest"]);
    expect(await service.ingest({} as never, context)).toEqual({ code: 0 });
    expect(service.ingest({} as never, context)).toBeInstanceOf(Promise);
    opening = undefined;
    expect(service.ingest({} as never, context)).toEqual({ code: 0 });
    expect(service.healthCheck).toBe(implementation.healthCheck);
  });

  it("fails with the gate, streams too", async () => {
    const service = gateService(
      EventCollector,
      implementation as never,
      () => Promise.reject(new Error("shut")),
      ["ingest", "trackStream"],
    );
    await expect(service.ingest({} as never, context)).rejects.toThrow("shut");
    const stream = service.trackStream([] as never, context)[Symbol.asyncIterator]();
    await expect(stream.next()).rejects.toThrow("shut");
  });
});

describe("late service", () => {
  type Sender = ServiceImpl<typeof ChannelSender>;

  /** Each implementation that is loaded numbers its channels from 1. */
  function numbering(): Sender {
    let channels = 0;
    const next = (): string => `c${++channels}`;
    return {
      getChannel: () => ({ channel: { channelId: next() } }),
      async *watchTask() {
        yield { progress: { taskId: next() } };
      },
    } as Partial<Sender> as Sender;
  }

  function clientOf(load: () => Promise<Sender>) {
    const service = createLateService(ChannelSender, load);
    return createClient(
      ChannelSender,
      createRouterTransport(({ service: serve }) => void serve(ChannelSender, service)),
    );
  }

  it("loads once for calls and streams that come at the same time and later", async () => {
    let loads = 0;
    const client = clientOf(async () => {
      loads++;
      return numbering();
    });
    const watched = async (): Promise<string | undefined> => {
      const stream = client.watchTask({})[Symbol.asyncIterator]();
      return (await stream.next()).value?.progress?.taskId;
    };
    const called = async (): Promise<string | undefined> => (await client.getChannel({})).channel?.channelId;
    const together = await Promise.all([called(), called(), watched(), watched()]);
    expect(together.toSorted()).toEqual(["c1", "c2", "c3", "c4"]);
    expect([await watched(), await called()]).toEqual(["c5", "c6"]);
    expect(loads).toBe(1);
  });

  it("tells all who wait of a failure, and loads again for the next", async () => {
    const outcomes = [Promise.withResolvers<Sender>(), Promise.withResolvers<Sender>()];
    const left = [...outcomes];
    const client = clientOf(() => left.shift()!.promise);
    const waiting = Promise.allSettled([client.getChannel({}), client.getChannel({})]);
    await turn();
    outcomes[0]!.reject(new Error("no disk"));
    expect((await waiting).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    outcomes[1]!.resolve(numbering());
    expect(await client.getChannel({})).toMatchObject({ channel: { channelId: "c1" } });
  });
});
