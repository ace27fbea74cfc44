import { toJson } from "@bufbuild/protobuf";
import { z } from "zod";
import { valueNumber, valueWord, valueWords } from "../../../base/protobuf/value-words.ts";
import {
  type Channel,
  ContentFieldSchema,
  InputMethodSchema,
} from "../../../gen/engage/channel/v1/channel_pb.ts";
import { FunnelSchema, TaskStatisticsSchema } from "../../../gen/engage/channel/v1/statistics_pb.ts";
import { type Task, type TaskState, TaskStateSchema } from "../../../gen/engage/channel/v1/task_pb.ts";
import type { Calls } from "../calls.ts";
import { cursorMark, type Output } from "../output.ts";
import { cursor, placeOf } from "../project.ts";
import { timeText } from "../time-text.ts";
import { defineTool, type Tool, ToolError } from "../tool.ts";

const name = "channels_and_tasks";

const input = z.strictObject({
  show: z.enum(["channels", "channel", "tasks", "task"]).default("channels"),
  channel_id: z.string().optional().describe("For channel, and for tasks of one channel."),
  task_id: z.string().optional().describe("For task: its counts and funnel."),
  state: z.enum(valueWords(TaskStateSchema)).optional().describe("For tasks."),
  cursor,
});

type Input = z.output<typeof input>;

/** Creates the tool that shows push channels and tasks. */
export function createChannelsAndTasks(): Tool {
  return defineTool({
    name,
    title: "Push channels and tasks",
    description:
      "Shows push channels with the fields of their contents, and tasks with their results. Call it before preview_push.",
    input,
    run: (given, calls) => shows[given.show](given, calls),
  });
}

type Show = (given: Input, calls: Calls) => Promise<Output>;

const shows: Readonly<Record<Input["show"], Show>> = {
  async channels(given, { channels }) {
    const mark = cursorMark(name, given);
    const place = placeOf(given.cursor, mark);
    const found = await channels.listChannels({ pageSize: 100, pageToken: place.token });
    const items = found.channels.slice(place.skip).map(shownChannel);
    return { head: {}, list: { name: "channels", items, place, nextToken: found.nextPageToken, mark } };
  },

  async channel({ channel_id: channelId = "" }, { channels }) {
    if (channelId === "") throw new ToolError("channel_id is required");
    const { channel } = await channels.getChannel({ channelId });
    if (channel === undefined) throw new ToolError("the channel is not known");
    const template = channel.contentTemplate.map((field) => toJson(ContentFieldSchema, field));
    const parameters = channel.customParameters.map(({ name: key, property }) => ({ name: key, property }));
    return { head: { ...shownChannel(channel), content_template: template, custom_parameters: parameters } };
  },

  async tasks(given, { channels }) {
    const mark = cursorMark(name, given);
    const place = placeOf(given.cursor, mark);
    const found = await channels.listTasks({
      channelId: given.channel_id ?? "",
      states: given.state === undefined ? [] : [valueNumber(TaskStateSchema, given.state) as TaskState],
      pageSize: 100,
      pageToken: place.token,
      withoutDefinition: true,
    });
    const items = found.tasks.slice(place.skip).map(shownTask);
    return { head: {}, list: { name: "tasks", items, place, nextToken: found.nextPageToken, mark } };
  },

  async task({ task_id: taskId = "" }, { channels }) {
    if (taskId === "") throw new ToolError("task_id is required");
    const { task, statistics, funnels } = await channels.getTask({
      taskId,
      withFunnel: true,
      withoutDefinition: true,
    });
    if (task === undefined) throw new ToolError("the task is not known");
    return {
      head: {
        ...shownTask(task),
        statistics: statistics && toJson(TaskStatisticsSchema, statistics),
        funnels: funnels.map((funnel) => toJson(FunnelSchema, funnel)),
      },
    };
  },
};

function shownChannel({ channelId, name: channel, projectId, pushIdProperty, contentTemplate }: Channel) {
  return {
    channel_id: channelId,
    name: channel,
    project_id: Number(projectId),
    push_id_property: pushIdProperty,
    fields: contentTemplate.map((field) => ({
      name: field.name,
      input: valueWord(InputMethodSchema, field.inputMethod),
      ...(field.required && { required: true }),
    })),
  };
}

/** Returns the members of a task that a model needs. */
export function shownTask(task: Task) {
  return {
    task_id: task.taskId,
    name: task.name,
    channel_id: task.channelId,
    state: valueWord(TaskStateSchema, task.state),
    ...(task.failure !== "" && { failure: task.failure }),
    created: timeText(task.createTime),
    next_run: timeText(task.nextRunTime),
    ...(task.taskInstanceId !== "" && { run: task.taskInstanceId }),
  };
}
