import type { Channel } from "../../../../gen/engage/channel/v1/channel_pb.ts";
import { ChannelSender } from "../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { Task } from "../../../../gen/engage/channel/v1/task_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { mayWrite } from "../../app/session.ts";
import { Empty } from "../../controls/empty.tsx";
import { Select } from "../../controls/field.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { PageHead } from "../../controls/page-head.tsx";
import { hrefOf, setQuery } from "../../router/router.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { clientOf } from "../../rpc/transport.ts";
import { t } from "../../texts/texts.ts";
import { TaskForm } from "./form/task-form.tsx";
import { TaskList } from "./task-list.tsx";
import { TaskView } from "./task-view.tsx";
import "../../form/form.css";
import "./tasks.css";

const client = clientOf(ChannelSender);
/** As many channels can be chosen from. */
const maxChannels = 1_000;

/** The tasks: a list, each as a page with its progress, and the form of a new one. */
export function TasksPage({ rest: [taskId], query }: PageProps) {
  if (taskId === "new" && mayWrite.value) return <NewTask query={query} />;
  if (taskId !== undefined) {
    return <TaskView key={taskId} client={client} taskId={taskId} query={query} />;
  }
  return (
    <>
      <PageHead title={t("tasks.title")} lead={t("tasks.lead")} />
      <TaskList client={client} query={query} />
    </>
  );
}

/** Loads the channels, of which a new task needs one. */
function NewTask({ query }: Pick<PageProps, "query">) {
  const from = query.get("from") ?? "";
  const { data, fault, reload } = useLoaded(from, async (signal) => {
    const [{ channels }, found] = await Promise.all([
      client.listChannels({ pageSize: maxChannels }, { signal }),
      from === "" ? undefined : client.getTask({ taskId: from }, { signal }),
    ]);
    return { channels, original: found?.task };
  });
  return (
    <>
      <PageHead title={t("tasks.new")} lead={t("tasks.new.lead")} />
      <p>
        <a href={hrefOf(["tasks"])}>{t("tasks.back")}</a>
      </p>
      <Loaded data={data} fault={fault} onRetry={reload}>
        {({ channels, original }) => (
          <ChannelChoice
            channels={channels}
            chosen={query.get("channel") || (original?.channelId ?? "")}
            original={original}
          />
        )}
      </Loaded>
    </>
  );
}

interface ChannelChoiceProps {
  readonly channels: readonly Channel[];
  /** The id of the channel; the first one for any other text. */
  readonly chosen: string;
  /** The task whose definition the new one begins with. */
  readonly original: Task | undefined;
}

function ChannelChoice({ channels, chosen, original }: ChannelChoiceProps) {
  const channel = channels.find(({ channelId }) => channelId === chosen) ?? channels[0];
  if (channel === undefined) {
    return (
      <Empty title={t("channels.empty")}>
        <p>
          <a href={hrefOf(["channels", "new"])}>{t("tasks.new.channel")}</a>
        </p>
      </Empty>
    );
  }
  return (
    <>
      <div class="single-field">
        <Select
          label={t("field.Task.channel_id")}
          value={channel.channelId}
          options={channels.map(({ channelId, name }) => ({ value: channelId, text: name }))}
          onChange={(value) => setQuery({ channel: value })}
        />
      </div>
      <TaskForm key={channel.channelId} client={client} channel={channel} original={original} />
    </>
  );
}
