import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { ChannelSender, GetTaskResponse } from "../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { Schedule, Task } from "../../../../gen/engage/channel/v1/task_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { mayWrite } from "../../app/session.ts";
import { Card } from "../../controls/card.tsx";
import { Command } from "../../controls/copy.tsx";
import { JsonView } from "../../controls/json-view.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { LongText } from "../../controls/long-text.tsx";
import { PageHead } from "../../controls/page-head.tsx";
import { Time } from "../../controls/time.tsx";
import { hrefOf } from "../../router/router.ts";
import { useLive } from "../../rpc/live.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { serverUrl } from "../../rpc/transport.ts";
import { t, tn } from "../../texts/texts.ts";
import { Batches } from "./batches.tsx";
import { definitionOf } from "./definition.ts";
import { Funnels } from "./funnels.tsx";
import { Progress } from "./progress.tsx";
import { StateBadge } from "./state-badge.tsx";
import { TaskActions } from "./task-actions.tsx";

interface TaskViewProps extends Pick<PageProps, "query"> {
  readonly client: Client<typeof ChannelSender>;
  readonly taskId: string;
}

/** One task with the progress and the funnel of its latest run, which are loaded again and again. */
export function TaskView({ client, taskId, query }: TaskViewProps) {
  // What the task was made from never changes, so that it is loaded once.
  const whole = useRef<Task | undefined>(undefined);
  const live = useLive(taskId, async (signal) => {
    const withoutDefinition = whole.current !== undefined;
    const response = await client.getTask({ taskId, withFunnel: true, withoutDefinition }, { signal });
    whole.current ??= response.task;
    return response;
  });
  const found = live.data.value;
  return (
    <>
      <PageHead title={found?.task?.name ?? taskId} />
      <p>
        <a href={hrefOf(["tasks"])}>{t("tasks.back")}</a>
      </p>
      <Loaded data={found} fault={live.fault.value} onRetry={live.refresh}>
        {({ task, statistics, funnels }) =>
          task !== undefined && (
            <Content
              task={task}
              whole={whole.current ?? task}
              statistics={statistics}
              funnels={funnels}
              client={client}
              query={query}
              refresh={live.refresh}
            />
          )
        }
      </Loaded>
    </>
  );
}

interface ContentProps
  extends Pick<TaskViewProps, "client" | "query">,
    Pick<GetTaskResponse, "statistics" | "funnels"> {
  readonly task: Task;
  /** With what the task was made from. */
  readonly whole: Task;
  readonly refresh: () => void;
}

function Content({ statistics, funnels, task, whole, client, query, refresh }: ContentProps) {
  return (
    <>
      <Card title={t("tasks.task")} isPadded>
        <div class="stack">
          <Facts task={task} whole={whole} client={client} />
          {mayWrite.value && (
            <>
              <TaskActions client={client} task={task} refresh={refresh} />
              <p>
                <a href={hrefOf(["tasks", "new"], { from: task.taskId })}>{t("tasks.copy")}</a>
              </p>
            </>
          )}
        </div>
      </Card>
      {statistics === undefined ? (
        <p class="muted">{t("tasks.noRun")}</p>
      ) : (
        <>
          <Progress statistics={statistics} />
          <Funnels funnels={funnels} />
          <Batches
            key={task.taskInstanceId}
            client={client}
            taskId={task.taskId}
            isOnlyFailed={query.get("only") === "failed"}
          />
        </>
      )}
      <DefinitionCard task={whole} />
    </>
  );
}

interface FactsProps extends Pick<TaskViewProps, "client"> {
  readonly task: Task;
  /** With what the task was made from. */
  readonly whole: Task;
}

function Facts({ task, whole: { schedule, journey }, client }: FactsProps) {
  const { state, failure, channelId, taskInstanceId, createTime, nextRunTime } = task;
  return (
    <dl class="tasks-facts">
      <Fact name={t("tasks.state")}>
        <StateBadge state={state} /> <LongText text={failure} />
      </Fact>
      <Fact name={t("field.Task.channel_id")}>
        <ChannelName client={client} channelId={channelId} />
      </Fact>
      {createTime !== undefined && (
        <Fact name={t("tasks.createTime")}>
          <Time ms={timestampMs(createTime)} />
        </Fact>
      )}
      {schedule !== undefined && <Fact name={t("tasks.schedule")}>{timesOf(schedule)}</Fact>}
      {journey !== undefined && (
        <Fact name={t("tasks.journey")}>
          {t("tasks.journey.node", {
            flow: journey.flowId,
            version: journey.flowVersion,
            node: journey.nodeId,
          })}
        </Fact>
      )}
      {nextRunTime !== undefined && (
        <Fact name={t("tasks.nextRun")}>
          <Time ms={timestampMs(nextRunTime)} />
        </Fact>
      )}
      {taskInstanceId !== "" && (
        <Fact name={t("tasks.run")}>
          <code>{taskInstanceId}</code>
        </Fact>
      )}
    </dl>
  );
}

/** The channel by its name, which is unknown while it loads and once the channel is deleted. */
function ChannelName({ client, channelId }: Pick<TaskViewProps, "client"> & Pick<Task, "channelId">) {
  const { data } = useLoaded(channelId, (signal) => client.getChannel({ channelId }, { signal }));
  const name = data?.channel?.name;
  return (
    <>
      <a href={hrefOf(["channels", channelId])}>{name ?? channelId}</a>
      {name !== undefined && (
        <>
          {" "}
          <code>{channelId}</code>
        </>
      )}
    </>
  );
}

function timesOf({ at, cron, zone }: Schedule): string {
  return [at || cron, zone].filter((part) => part !== "").join(" ");
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What the task was made from, with the command that makes the same again. */
function DefinitionCard({ task }: { readonly task: Task }) {
  const { text, omitted } = definitionOf(task);
  const quoted = text.replaceAll("'", String.raw`'\''`);
  return (
    <Card title={t("tasks.definition")} isPadded>
      <div class="stack">
        <JsonView text={text} label={t("tasks.definition.json")} />
        {omitted > 0 ? (
          <p class="muted">{tn("tasks.definition.omitted", omitted)}</p>
        ) : (
          <Command text={`curl -H 'content-type: application/json' -d '${quoted}' ${serverUrl}/v1/tasks`} />
        )}
      </div>
    </Card>
  );
}
