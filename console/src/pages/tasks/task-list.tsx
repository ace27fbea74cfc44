import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import type { ChannelSender } from "../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { Task } from "../../../../gen/engage/channel/v1/task_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { mayWrite } from "../../app/session.ts";
import { Card } from "../../controls/card.tsx";
import { Empty } from "../../controls/empty.tsx";
import { Select } from "../../controls/field.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { type Column, Pager, Table } from "../../controls/table.tsx";
import { Time } from "../../controls/time.tsx";
import { hrefOf, setQuery } from "../../router/router.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { useKeysetPages } from "../../rpc/pages.ts";
import { serverUrl } from "../../rpc/transport.ts";
import { t } from "../../texts/texts.ts";
import { StateBadge } from "./state-badge.tsx";
import { stateNames, stateOf } from "./states.ts";

const pageSize = 50;
const maxChannels = 1_000;

/** Pushes to two recipients over the first channel. */
const firstTask = `npx engage-server push --channel mail --to ann bob --set title=Hello --url ${serverUrl}`;

interface TaskListProps extends Pick<PageProps, "query"> {
  readonly client: Client<typeof ChannelSender>;
}

/** The tasks, newest first. */
export function TaskList({ client, query }: TaskListProps) {
  const channelId = query.get("channel") ?? "";
  const state = stateOf(query.get("state") ?? "");
  const pages = useKeysetPages<Task>(`tasks ${channelId} ${state}`, async (pageToken, signal) => {
    const states = state === undefined ? [] : [state];
    const { tasks, nextPageToken } = await client.listTasks(
      { channelId, states, withoutDefinition: true, pageSize, pageToken },
      { signal },
    );
    return { rows: tasks, nextToken: nextPageToken };
  });
  const { data } = useLoaded("channels", (signal) =>
    client.listChannels({ pageSize: maxChannels }, { signal }),
  );
  const names = new Map(data?.channels.map((channel) => [channel.channelId, channel.name]));
  const isFiltered = channelId !== "" || state !== undefined;
  const create = mayWrite.value && (
    <a class="button main" href={hrefOf(["tasks", "new"], { channel: channelId })}>
      {t("tasks.new")}
    </a>
  );
  return (
    <Card title={t("tasks.title")} actions={create}>
      <Filters channelId={channelId} state={query.get("state") ?? ""} names={names} />
      <Loaded data={pages.rows} fault={pages.fault} onRetry={pages.reload}>
        {(rows) =>
          rows.length === 0 && !isFiltered ? (
            <Empty title={t("tasks.empty")} {...(mayWrite.value && { command: firstTask })}>
              <p>{t(mayWrite.value ? "tasks.empty.do" : "tasks.empty.ask")}</p>
            </Empty>
          ) : (
            <>
              <Table
                caption={t("tasks.title")}
                columns={columnsOf(names)}
                rows={rows}
                keyOf={({ taskId }) => taskId}
              />
              <Pager pages={pages} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

interface FiltersProps {
  readonly channelId: string;
  readonly state: string;
  readonly names: ReadonlyMap<string, string>;
}

function Filters({ channelId, state, names }: FiltersProps) {
  const known =
    channelId === "" || names.has(channelId) ? [...names] : [[channelId, channelId] as const, ...names];
  return (
    <search class="filters">
      <Select
        label={t("field.Task.channel_id")}
        value={channelId}
        options={[
          { value: "", text: t("tasks.channel.all") },
          ...known.map(([value, text]) => ({ value, text })),
        ]}
        onChange={(value) => setQuery({ channel: value })}
      />
      <Select
        label={t("tasks.state")}
        value={stateOf(state) === undefined ? "" : state}
        options={[
          { value: "", text: t("tasks.state.all") },
          ...stateNames.map((value) => ({ value, text: t(`tasks.state.${value}`) })),
        ]}
        onChange={(value) => setQuery({ state: value })}
      />
    </search>
  );
}

function columnsOf(names: ReadonlyMap<string, string>): readonly Column<Task>[] {
  return [
    {
      name: "name",
      title: t("field.Task.name"),
      isHeading: true,
      cell: ({ name, taskId }) => <a href={hrefOf(["tasks", taskId])}>{name}</a>,
    },
    { name: "id", title: t("channels.id"), cell: ({ taskId }) => <code>{taskId}</code> },
    {
      name: "channel",
      title: t("field.Task.channel_id"),
      cell: ({ channelId }) => (
        <>
          <a href={hrefOf(["channels", channelId])}>{names.get(channelId) ?? channelId}</a>
          {names.has(channelId) && (
            <>
              {" "}
              <code>{channelId}</code>
            </>
          )}
        </>
      ),
    },
    { name: "state", title: t("tasks.state"), cell: ({ state }) => <StateBadge state={state} /> },
    {
      name: "created",
      title: t("tasks.createTime"),
      cell: ({ createTime }) => createTime !== undefined && <Time ms={timestampMs(createTime)} />,
    },
    {
      name: "next",
      title: t("tasks.nextRun"),
      cell: ({ nextRunTime }) => nextRunTime !== undefined && <Time ms={timestampMs(nextRunTime)} />,
    },
  ];
}
