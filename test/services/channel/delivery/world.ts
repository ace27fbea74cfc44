import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { vi } from "vitest";
import { systemClock } from "../../../../base/async/clock.ts";
import { createOutbound } from "../../../../base/net/outbound.ts";
import type { ChannelSchema } from "../../../../gen/engage/channel/v1/channel_pb.ts";
import { TaskSchema } from "../../../../gen/engage/channel/v1/task_pb.ts";
import type { AudienceSource } from "../../../../services/channel/audience/source.ts";
import { createDelivery, type DeliveryOptions } from "../../../../services/channel/delivery/delivery.ts";
import { createExchange, maxReceiverResponseBytes } from "../../../../services/channel/exchange/exchange.ts";
import { encodeChannel, encodeTask } from "../../../../services/channel/tasks/codec.ts";
import type { ChannelStore, StoredRun } from "../../../../store/channels/channels.ts";
import { openSqliteChannels } from "../../../../store/channels/sqlite/open.ts";
import { channelWith, contentOf } from "../content/template.ts";

export interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent
  readonly elements: readonly any[];
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly Call[];
}

export type Answer = (call: Call, response: ServerResponse, number: number) => void;

export const answerOk: Answer = (_call, response) =>
  response.end('{"return_code":0,"return_message":"","data":{"fail_list":[]}}');

/** Keeps what it is sent. @param answer by default all is well */
export async function openReceiver(answer: Answer = answerOk): Promise<Receiver> {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const call = { headers: request.headers, text, elements: JSON.parse(text) };
    calls.push(call);
    answer(call, response, calls.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export async function openStore(): Promise<ChannelStore> {
  const folder = await mkdtemp(join(tmpdir(), "channels-"));
  const store = await openSqliteChannels({ path: join(folder, "channels.db") });
  const close = store[Symbol.asyncDispose].bind(store);
  store[Symbol.asyncDispose] = async () => {
    await close();
    await rm(folder, { recursive: true, force: true });
  };
  return store;
}

export const noUsers: AudienceSource = {
  async *users() {},
  lookup: async () => new Map(),
};

const silent = { failed() {}, attempted() {}, prepared() {}, refused() {} };
const outbound = createOutbound({ allow: ["127.0.0.0/8"], setting: "test" });

export function openDelivery(store: ChannelStore, options: Partial<DeliveryOptions> = {}) {
  const delivery = createDelivery({
    store,
    audience: noUsers,
    clock: systemClock,
    newRequestId: randomUUID,
    owner: "test",
    events: async () => ({ users: [], conversions: 0, segments: [] }),
    observer: silent,
    openExchange: (url) =>
      createExchange({ url, outbound, maxConnections: 64, maxResponseBytes: maxReceiverResponseBytes }),
    pollMs: 50,
    ...options,
  });
  return {
    ...delivery,
    [Symbol.asyncDispose]: () => delivery.stop(1_000),
  };
}

let number = 0;

/** A task to these push ids, by a channel of its own, that has begun to run. */
export async function startTask(
  store: ChannelStore,
  channel: MessageInitShape<typeof ChannelSchema>,
  task: MessageInitShape<typeof TaskSchema> = {},
): Promise<StoredRun> {
  const definition = encodeChannel(channelWith({ contentTemplate: [], customParameters: [], ...channel }));
  const saved = await store.createChannel({ name: `channel ${++number}`, projectId: 1, definition });
  if (saved.kind !== "saved") throw new Error(saved.kind);
  const { channelId } = saved.channel;
  const made = create(TaskSchema, {
    name: "task",
    channelId,
    contents: [contentOf({})],
    ...task,
  });
  const created = await store.createTask({
    name: "task",
    channelId,
    definition: encodeTask(made),
    nextRunAtMs: null,
  });
  if (created.kind !== "created") throw new Error(created.kind);
  const started = await store.startRun(created.task.taskId, { day: "2024-01-01" });
  if (started.kind !== "started") throw new Error(started.kind);
  return started.run;
}

export function pushIds(count: number): MessageInitShape<typeof TaskSchema>["audience"] {
  const ids = Array.from({ length: count }, (_, i) => `u${i}`);
  return { source: { case: "pushIds", value: { pushIds: ids } } };
}

/** Resolves with the statistics when the run has ended. */
export async function ended(store: ChannelStore, { runId }: StoredRun) {
  await vi.waitFor(
    async () => {
      const run = await store.run(runId);
      if (run?.endedAtMs == null) throw new Error(`the run is ${run?.state}`);
    },
    { timeout: 20_000, interval: 10 },
  );
  return { ...(await store.statistics(runId))!, state: (await store.run(runId))!.state };
}
