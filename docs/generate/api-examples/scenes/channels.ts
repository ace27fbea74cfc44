import type { MessageInitShape } from "@bufbuild/protobuf";
import { TableType } from "../../../../gen/engage/analysis/v1/column_pb.ts";
import { Comparator } from "../../../../gen/engage/analysis/v1/filter_pb.ts";
import { type ChannelSchema, InputMethod } from "../../../../gen/engage/channel/v1/channel_pb.ts";
import { ChannelSender } from "../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { ReceiverChecker } from "../../../../gen/engage/channel/v1/receiver_checker_pb.ts";
import { TaskState } from "../../../../gen/engage/channel/v1/task_pb.ts";
import { probes } from "../../../../services/channel/check/probes.ts";
import { textAt } from "../bodies.ts";
import { secret } from "../server.ts";
import { until, type World } from "../world.ts";

/** A channel whose receiver is the server itself. */
function channelOf(url: string) {
  return {
    name: "Game mail",
    projectId: 1n,
    url: `${url}/webhook/demo`,
    pushIdProperty: "#account_id",
    authentication: { secret },
    contentTemplate: [{ name: "title", inputMethod: InputMethod.TEXT, required: true }],
    customParameters: [{ name: "level", property: "level", defaultValue: "1" }],
    delivery: { batchSize: 100, retries: 2 },
  } satisfies MessageInitShape<typeof ChannelSchema>;
}

const contents = [
  { language: "default", values: { title: { value: { case: "text" as const, value: "A gift for you" } } } },
];

const audience = {
  source: {
    case: "users" as const,
    value: {
      filts: [{ columnName: "level", tableType: TableType.USER, comparator: Comparator.GREATER, ftv: ["5"] }],
    },
  },
};

export async function playChannels(world: World): Promise<void> {
  const channelId = await playChannel(world);
  await playTask(world, channelId);
  await world.calls.serverStream(ReceiverChecker.method.checkReceiver, {
    url: `${world.url}/webhook/demo`,
    authentication: { secret },
    skippedProbes: probes.map(({ id }) => id).filter((id) => !["accept", "signature-missing"].includes(id)),
  });
}

async function playChannel({ calls, client, url }: World): Promise<string> {
  const { method } = ChannelSender;
  const channel = channelOf(url);
  const created = await calls.unary(method.createChannel, { channel });
  const channelId = textAt(created, "channel", "channelId");
  await calls.refused(method.createChannel, { channel: { ...channel, name: "" } });
  await calls.unary(method.getChannel, { channelId });
  await calls.unary(method.listChannels, { pageSize: 10 });
  const etag = textAt(created, "channel", "etag");
  await calls.unary(method.updateChannel, {
    channelId,
    channel: { ...channel, etag, delivery: { batchSize: 100, retries: 3 } },
  });
  await calls.unary(method.testChannel, { channelId, pushId: "ann", content: contents[0]! });
  const other = await client(ChannelSender).createChannel({ channel: { ...channel, name: "Old mail" } });
  const { channelId: otherId = "", etag: otherEtag = "" } = other.channel ?? {};
  await calls.unary(method.deleteChannel, { channelId: otherId, etag: otherEtag });
  return channelId;
}

async function playTask({ calls, client }: World, channelId: string): Promise<void> {
  const { method } = ChannelSender;
  const sender = client(ChannelSender);
  const task = { name: "Gift", channelId, contents, audience };
  await calls.unary(method.estimateAudience, {
    projectId: 1n,
    audience,
    pushIdProperty: "#account_id",
    sampleSize: 2,
  });
  await calls.unary(method.previewMessage, { task, pushId: "ann" });
  const taskId = textAt(await calls.unary(method.createTask, { task }), "task", "taskId");
  await calls.unary(method.runTask, { taskId });
  await until(
    "the task is done",
    async () => (await sender.getTask({ taskId })).task?.state === TaskState.DONE,
  );
  await calls.serverStream(method.watchTask, { taskId });
  await calls.unary(method.getTask, { taskId, withFunnel: true });
  await calls.unary(method.listBatches, { taskId, pageSize: 10 });
  await calls.unary(method.listTasks, { channelId, states: [TaskState.DONE], pageSize: 10 });
  const later = { ...task, name: "Gift of the week", schedule: { cron: "0 9 * * 1" } };
  const { task: scheduled } = await sender.createTask({ task: later });
  await sender.runTask({ taskId: scheduled?.taskId ?? "" });
  await calls.unary(method.cancelTask, { taskId: scheduled?.taskId ?? "" });
}
