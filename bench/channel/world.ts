import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { systemClock } from "../../base/async/clock.ts";
import { createOutbound } from "../../base/net/outbound.ts";
import { type Channel, ChannelSchema, InputMethod } from "../../gen/engage/channel/v1/channel_pb.ts";
import { type Task, TaskSchema, UserFilterSchema } from "../../gen/engage/channel/v1/task_pb.ts";
import { sortAudience } from "../../services/channel/audience/pages.ts";
import type { AudienceMember, AudienceSource } from "../../services/channel/audience/source.ts";
import { compileVariants } from "../../services/channel/audience/variants.ts";
import { BodyMemory } from "../../services/channel/delivery/body/body-memory.ts";
import { writeBody } from "../../services/channel/delivery/body/write-body.ts";
import { compileSendPlan } from "../../services/channel/delivery/call/send-plan.ts";
import { createDelivery, type Delivery } from "../../services/channel/delivery/delivery.ts";
import { createBatchWriter } from "../../services/channel/delivery/prepare/batch.ts";
import { createExchange, maxReceiverResponseBytes } from "../../services/channel/exchange/exchange.ts";
import { encodeChannel, encodeTask } from "../../services/channel/tasks/codec.ts";
import type { ChannelStore, StoredRun } from "../../store/channels/channels.ts";

export const connections = 64;
export const batchSize = 100;

/**
 * Users of a game with a name and a level, in pages as the event store returns them.
 * @param making gets the CPU time of the thread for making them, which is no work of the server
 */
export function manyUsers(count: number, making = { cpuSeconds: 0 }): AudienceSource {
  return {
    async *users() {
      for (let at = 0; at < count; ) {
        const before = process.threadCpuUsage();
        const page: AudienceMember[] = [];
        for (const end = Math.min(at + 256, count); at < end; at++) {
          const properties = { name: `Name ${at}`, level: at % 60 };
          page.push({ pushId: `player-${at}`, userId: at + 1, properties });
        }
        making.cpuSeconds += secondsOf(process.threadCpuUsage(before));
        yield page;
      }
    },
    lookup: async () => new Map(),
  };
}

export function secondsOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e6;
}

function channelTo(url: string, rateLimit: number, size: number): Channel {
  return create(ChannelSchema, {
    name: `mail ${randomUUID()}`,
    projectId: 1n,
    url,
    pushIdProperty: "#account_id",
    authentication: { secret: "secret" },
    contentTemplate: [
      { name: "title", inputMethod: InputMethod.TEXT },
      { name: "content", inputMethod: InputMethod.DYNAMIC_TEXT },
      { name: "items", inputMethod: InputMethod.ARRAY_ROW, columns: ["item_id", "number"] },
    ],
    customParameters: [{ name: "level", property: "level", defaultValue: "1" }],
    delivery: { rateLimit, batchSize: size },
  });
}

/** A mail with placeholders for each user. */
function mailTo(channelId: string): Task {
  const text = (value: string) => ({ value: { case: "text" as const, value } });
  const rows = [{ cells: { item_id: "1001", number: "3" } }];
  const values = {
    title: text("A gift for you"),
    content: text("Dear {name}, thank you for playing with us. Have a look at what is in the mail."),
    items: { value: { case: "rows" as const, value: { rows } } },
  };
  return create(TaskSchema, {
    name: "gift",
    channelId,
    contents: [{ language: "default", values }],
    audience: { source: { case: "users", value: {} } },
  });
}

export async function startPush(
  store: ChannelStore,
  url: string,
  rateLimit: number,
  size: number,
): Promise<StoredRun> {
  const channel = channelTo(url, rateLimit, size);
  const definition = encodeChannel(channel);
  const saved = await store.createChannel({ name: channel.name, projectId: 1, definition });
  if (saved.kind !== "saved") throw new Error(saved.kind);
  const { channelId } = saved.channel;
  const task = { name: "gift", channelId, definition: encodeTask(mailTo(channelId)), nextRunAtMs: null };
  const created = await store.createTask(task);
  if (created.kind !== "created") throw new Error(created.kind);
  const started = await store.startRun(created.task.taskId, { day: "2024-01-01" });
  if (started.kind !== "started") throw new Error(started.kind);
  return started.run;
}

/** Returns bodies and headers as they are sent. */
export async function prepareBodies(url: string, count: number, size: number) {
  const channel = channelTo(url, -1, size);
  const variants = compileVariants(channel, mailTo("c1"));
  const origin = { kind: "task", taskId: "t1", taskInstanceId: "t1_2024-01-01", execDetailId: "1" } as const;
  const writer = createBatchWriter({
    projectId: 1,
    origin,
    variants,
    size,
    newRequestId: randomUUID,
  });
  const { signal } = new AbortController();
  const request = { projectId: 1, choice: { case: "users" as const, value: create(UserFilterSchema) } };
  const members = manyUsers(count * size).users(
    { ...request, pushIdProperty: "#account_id", properties: variants.properties },
    signal,
  );
  const { headers } = compileSendPlan(channel);
  const found: { readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> }[] = [];
  const sorting = { variants, take: writer.add, pageRecipients: () => 5_000 };
  for await (const { isLast } of sortAudience(members, sorting)) {
    for (const { payload } of writer.take(isLast)) {
      const body = writeBody(payload, new BodyMemory());
      found.push({ body, headers: headers(body) });
    }
  }
  return found;
}

/** @param sends receives the start time of each request, if given */
export function openDelivery(store: ChannelStore, audience: AudienceSource, sends: number[] = []): Delivery {
  const outbound = createOutbound({ allow: ["127.0.0.0/8"], setting: "bench" });
  return createDelivery({
    store,
    audience,
    clock: systemClock,
    newRequestId: randomUUID,
    owner: "bench",
    events: async () => ({ users: [], conversions: 0, segments: [] }),
    observer: {
      failed: (what, error) => console.error(what, error),
      attempted() {},
      prepared() {},
      refused() {},
    },
    openExchange(url) {
      const maxResponseBytes = maxReceiverResponseBytes;
      const open = createExchange({ url, outbound, maxConnections: connections, maxResponseBytes });
      return {
        exchange(request) {
          sends.push(performance.now());
          return open.exchange(request);
        },
        [Symbol.dispose]: () => open[Symbol.dispose](),
      };
    },
    maxInFlight: connections,
  });
}

/** Resolves when the run has ended; it checks ten times a second. */
export async function ended(store: ChannelStore, { runId }: StoredRun): Promise<StoredRun> {
  for (;;) {
    const run = await store.run(runId);
    if (run?.endedAtMs != null) return run;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
