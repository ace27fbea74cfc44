import { expect, vi } from "vitest";
import type { Receiver } from "./receiver.ts";

export interface Push {
  readonly receiver: Pick<Receiver, "url">;
  readonly recipients: number;
  /** Settings of the channel's delivery. */
  readonly delivery: object;
}

/** Statistics of a task, with a number for each. */
export interface Counts {
  readonly state: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly failed: Readonly<Record<string, number>>;
}

interface Served {
  readonly port: number;
}

/** engage.yaml of a service that may send to this machine. @param settings further ones of `channel` */
export function pushConfig(settings: object = {}): object {
  return {
    log: { access: false },
    projects: [{ id: 1, appids: ["game"], zone: "+00:00" }],
    channel: { outbound: { allow: ["127.0.0.0/8"] }, ...settings },
  };
}

async function call({ port }: Served, path: string, body?: object) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    headers: { "content-type": "application/json" },
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
}

let channels = 0;

/** Makes a channel and a task to a list of push ids, and runs it. Answers the task's id. */
export async function startPush(engage: Served, { receiver, recipients, delivery }: Push): Promise<string> {
  const channel = await call(engage, "/v1/channels", {
    name: `channel ${++channels}`,
    projectId: 1,
    url: receiver.url,
    pushIdProperty: "#account_id",
    contentTemplate: [{ name: "title", inputMethod: "INPUT_METHOD_TEXT" }],
    authentication: { secret: "a secret of the test" },
    delivery,
  });
  const { channelId } = channel.channel;
  const values = { title: { text: "A gift for you" } };
  const made = await call(engage, "/v1/tasks", {
    name: "gift",
    channelId,
    contents: [{ language: "default", values }],
    audience: { pushIds: { pushIds: pushIdsOf(recipients) } },
  });
  await call(engage, `/v1/tasks/${made.task.taskId}:run`, {});
  return made.task.taskId;
}

export function pushIdsOf(recipients: number): readonly string[] {
  return Array.from({ length: recipients }, (_, i) => `player-${i}`);
}

export async function countsOf(engage: Served, taskId: string): Promise<Counts> {
  const { task, statistics = {} } = await call(engage, `/v1/tasks/${taskId}`);
  const { failed = [], ...sums } = statistics;
  return {
    state: task.state,
    counts: Object.fromEntries(Object.entries(sums).map(([name, value]) => [name, Number(value)])),
    failed: Object.fromEntries(
      (failed as { reason: string; count: string }[]).map(({ reason, count }) => [reason, Number(count)]),
    ),
  };
}

/** The counts when the task has ended. */
export async function endedPush(engage: Served, taskId: string): Promise<Counts> {
  return await vi.waitFor(
    async () => {
      const counts = await countsOf(engage, taskId);
      expect(counts.state).toBe("TASK_STATE_DONE");
      return counts;
    },
    { timeout: 110_000, interval: 100 },
  );
}

/** Everybody was handled once, each batch had the same bytes in all attempts, and one attempt at a time. */
export function expectOnce(receiver: Receiver, recipients: number): void {
  const handled = receiver.handled();
  expect(pushIdsOf(recipients).filter((pushId) => handled.get(pushId) !== 1)).toEqual([]);
  expect(handled.size).toBe(recipients);
  const books = [...receiver.books.values()];
  expect(books.filter(({ bodies }) => bodies.size !== 1)).toEqual([]);
  expect(books.filter(({ mostOpen }) => mostOpen !== 1)).toEqual([]);
}
