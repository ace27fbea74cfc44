import { type Client, createClient } from "@connectrpc/connect";
import { valueWord } from "../../base/protobuf/value-words.ts";
import { countOf } from "../../base/text/count.ts";
import { ChannelSender } from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { FunnelStep, TaskStatistics } from "../../gen/engage/channel/v1/statistics_pb.ts";
import { TaskStateSchema } from "../../gen/engage/channel/v1/task_pb.ts";
import { WebhookReceiver } from "../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { appid, post, projectId } from "./events.ts";
import type { DemoHandler } from "./handler.ts";
import { type Demo, until } from "./stage.ts";
import { settled } from "./webhook.ts";

/** Settings that allow the demo's receiver, which is on the same machine. */
export const demoSender: Readonly<Record<string, string>> = {
  ENGAGE_CHANNEL_OUTBOUND_ALLOW: JSON.stringify(["127.0.0.0/8"]),
};

/** The players, ordered by level. Of the last two, one has an id that the receiver refuses, and one has none. */
const players = [
  ...Array.from({ length: 11 }, (_, i) => ({ "#account_id": `user-${i + 1}`, level: i + 1 })),
  { "#account_id": "User 12", level: 12 },
  { "#distinct_id": "visitor", level: 13 },
];
const audience = {
  users: { filts: [{ columnName: "level", tableType: "user", comparator: "greater", ftv: ["3"] }] },
};
const handledEvent = "push_handled";
const clickers = 3;
const buyers = 2;

/**
 * Shows the whole loop: an audience by user properties, a signed push, the receiver and handler, clicks, and the
 * funnel.
 */
export async function showChannel(demo: Demo, handler: DemoHandler, secret: string): Promise<void> {
  const { say, transport } = demo;
  const sender = createClient(ChannelSender, transport);
  say(
    "\n6. ChannelSender, the side that calls webhooks: from events to an audience, a push and its funnel\n",
  );
  await reportPlayers(demo);
  await createChannel(demo, secret);
  await chooseAudience(demo);
  const before = handler.handled.length;
  const taskId = await push(demo, sender);
  await settled(createClient(WebhookReceiver, demo.transport));
  const messages = handler.handled.slice(before);
  say("\n   the receiver answers when a batch is on disk, and hands it on:");
  for (const note of handler.takeNotes()) say(`   ${note}`);
  await reportEffects(demo, messages);
  await showFunnel(demo, sender, taskId);
}

async function reportPlayers({ url, say }: Demo): Promise<void> {
  const records = players.flatMap(({ level, ...ids }) => [
    record("track", ids, { "#event_name": "level_up" }, { level }),
    record("user_set", ids, {}, { level }),
  ]);
  say(
    `   POST /sync_server: ${players.length} players with their level, the last of them without an account`,
  );
  say(`     → ${await post(`${url}/sync_server`, records, { appid })}`);
}

function record(type: string, ids: object, more: object, properties: object): object {
  const time = new Date().toISOString().replace("T", " ").slice(0, 19);
  return { "#type": type, ...ids, ...more, "#time": time, properties };
}

async function createChannel({ url, say }: Demo, secret: string): Promise<void> {
  const channel = {
    name: "game mail",
    projectId: Number(projectId),
    url: `${url}/webhook/demo`,
    pushIdProperty: "#account_id",
    authentication: { secret },
    contentTemplate: [{ name: "title", inputMethod: "INPUT_METHOD_DYNAMIC_TEXT", required: true }],
    customParameters: [{ name: "level", property: "level" }],
    funnel: { stepEvents: [handledEvent], conversionEvents: ["pay"] },
    delivery: { batchSize: 5, rateLimit: 100, retries: 3 },
  };
  say("\n   POST /v1/channels, to the receiver of part 4");
  say(`   ${JSON.stringify(channel)}`);
  const { channel: made } = JSON.parse(await post(`${url}/v1/channels`, channel));
  say(
    `     → ${JSON.stringify({ channelId: made.channelId, etag: made.etag, authentication: made.authentication })}`,
  );
}

/** Queries until all players are known, since records can be queried only a moment after they were accepted. */
async function chooseAudience({ url, say }: Demo): Promise<void> {
  const request = { projectId: Number(projectId), pushIdProperty: "#account_id", audience };
  say("\n   POST /v1/audiences:estimate, who is above level 3, and how many of them have an account");
  say(`   ${JSON.stringify(request)}`);
  const wanted = players.filter(({ level }) => level > 3).length;
  const estimate = await until(
    () => post(`${url}/v1/audiences:estimate`, request),
    (text) => Number(JSON.parse(text).users) === wanted,
  );
  say(`     → ${estimate}`);
}

/** Runs the task and resolves with its id when the run has ended. */
async function push({ url, say }: Demo, sender: Client<typeof ChannelSender>): Promise<string> {
  const contents = [{ language: "default", values: { title: { text: "Level {level}, well done!" } } }];
  const request = { name: "congratulation", channelId: "c1", contents, audience };
  say("\n   POST /v1/tasks");
  say(`   ${JSON.stringify(request)}`);
  const { task } = JSON.parse(await post(`${url}/v1/tasks`, request));
  say(`     → ${JSON.stringify({ taskId: task.taskId, state: task.state })}`);
  await sender.runTask({ taskId: task.taskId });
  say("\n   ChannelSender/RunTask, and WatchTask over gRPC until the run has ended");
  let last: TaskStatistics | undefined;
  for await (const { progress } of sender.watchTask({ taskId: task.taskId })) {
    last = progress!.statistics;
    const state = valueWord(TaskStateSchema, progress!.state);
    say(`     ${state}: ${last?.sent ?? 0} sent in ${countOf(last?.batches ?? 0, "batch")}`);
  }
  const failed = (last?.failed ?? []).map(({ reason, count }) => `${count} ${reason}`).join(", ");
  say(`     ${last?.planned} planned = ${last?.filtered} without a push id + ${last?.sent} sent`);
  say(`     ${last?.sent} sent = ${last?.succeeded} succeeded + ${failed}`);
  const { batches } = await sender.listBatches({ taskId: task.taskId, onlyFailed: true });
  for (const { number, failedItems } of batches) {
    for (const { index, pushId, message } of failedItems) {
      say(`     batch ${number}, element ${index}, ${JSON.stringify(pushId)}: ${message}`);
    }
  }
  return task.taskId;
}

/** Reports what users do after a push: the game shows it, they open it, they buy. */
async function reportEffects({ url, say }: Demo, messages: DemoHandler["handled"]): Promise<void> {
  const report = (deliveryId: string, eventName?: string): Promise<string> =>
    post(`${url}/v1/webhook/clicks`, { deliveryId, ...(eventName && { eventName }) });
  const [clicked, bought] = [messages.slice(0, clickers), messages.slice(0, buyers)];
  for (const { deliveryId } of messages) await report(deliveryId, handledEvent);
  for (const { deliveryId } of clicked) await report(deliveryId);
  const payments = bought.map(({ pushId }) =>
    record("track", { "#account_id": pushId }, { "#event_name": "pay" }, { price: 5 }),
  );
  await post(`${url}/sync_server`, payments, { appid });
  say(
    `\n   ${messages.length} messages are reported as ${handledEvent}, ${clicked.length} of them as clicked`,
  );
  say(
    `   (POST /v1/webhook/clicks, with the receipt each came with), and ${bought.length} of their users pay`,
  );
}

async function showFunnel(
  { say }: Demo,
  sender: Client<typeof ChannelSender>,
  taskId: string,
): Promise<void> {
  const steps = await until(
    async () => (await sender.getTask({ taskId, withFunnel: true })).funnels[0]?.steps ?? [],
    (found) => usersOf(found, "click") === clickers && usersOf(found, "conversion") === buyers,
  );
  say("\n   GetTask with its funnel");
  const most = Math.max(1, ...steps.map(({ users }) => Number(users)));
  for (const { name, users } of steps) {
    const bar = "█".repeat(Math.round((40 * Number(users)) / most));
    say(`     ${name.padEnd(handledEvent.length)}  ${String(users).padStart(3)}  ${bar}`.trimEnd());
  }
}

function usersOf(steps: readonly FunnelStep[], step: string): number {
  return Number(steps.find(({ name }) => name === step)?.users ?? -1);
}
