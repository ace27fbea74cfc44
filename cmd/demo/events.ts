import { createClient } from "@connectrpc/connect";
import { dayMs } from "../../base/time/units.ts";
import { AnalysisProxy } from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { Aggregation, MetricType } from "../../gen/engage/analysis/v1/event_metric_pb.ts";
import { TimeParticleSize } from "../../gen/engage/analysis/v1/event_view_pb.ts";
import { EventCollector } from "../../gen/engage/event/v1/event_collector_pb.ts";
import { RecordType } from "../../gen/engage/event/v1/record_pb.ts";
import { formatChart } from "../query/chart.ts";
import type { QueryData } from "../query/series.ts";
import { type Demo, until } from "./stage.ts";

export const projectId = 1n;
export const appid = "demo-app";
const token = "demo-token";

/** The settings of a project that accepts and queries events, as environment variables. */
export const demoProject: Readonly<Record<string, string>> = {
  ENGAGE_PROJECTS: JSON.stringify([{ id: Number(projectId), appids: [appid], zone: "+00:00" }]),
  ENGAGE_ANALYSIS_TOKENS: JSON.stringify([{ name: "demo", token, projects: [Number(projectId)] }]),
};

/** The number of users who log in, on each of the days before today. */
const loginsByDay = [3, 5, 4, 8, 7, 11, 9];
const logins = loginsByDay.reduce((sum, count) => sum + count);

const eventView = { recentDay: `1-${loginsByDay.length}`, timeParticleSize: "day" };
const query = {
  projectId: Number(projectId),
  eventView,
  events: [{ type: "normal", eventName: "login", analysis: "TRIG_USER_NUM" }],
};

/**
 * Sends records over HTTP and gRPC, draws a chart of them, and lists the users of one number.
 * @param nowMs since 1970
 */
export async function showEvents(demo: Demo, nowMs: number): Promise<void> {
  const { url, say } = demo;
  const records = loginsByDay.flatMap((count, day) =>
    Array.from({ length: count }, (_, i) => loginOf(i + 1, nowMs - (loginsByDay.length - day) * dayMs)),
  );
  say("\n5. Events: POST /sync_server, as the platform's SDKs report them\n");
  say(`   ${records.length} records of the last ${loginsByDay.length} days, the last of them`);
  say(`   ${JSON.stringify(records.at(-1))}`);
  const taken = await post(`${url}/sync_server`, records, { appid });
  say(`     → ${taken}`);
  await showTrack(demo);
  say("\n   POST /open/event-analyze, the platform's API for queries, asks how many users log in");
  say(`   ${JSON.stringify(query)}`);
  const result = await queryResult(`${url}/open/event-analyze?token=${token}`);
  const { y, ...data } = result;
  say(`     → ${JSON.stringify({ x: data.x, y })}`);
  say("\n   which `engage query --plot` draws as\n");
  const chart = formatChart(result, { columns: 76, rows: 8, hasColors: false });
  for (const line of chart.trimEnd().split("\n")) say(`   ${line}`.trimEnd());
  await showUsers(demo, data.x[0] ?? "");
}

/** Sends an invalid record over RPC, which returns the reason of the refusal. */
async function showTrack({ say, transport }: Demo): Promise<void> {
  say("\n   EventCollector/Track over gRPC tells what is wrong with a record");
  const { accepted, refused, results } = await createClient(EventCollector, transport).track({
    project: { case: "projectId", value: projectId },
    records: [
      { type: RecordType.USER_SET, accountId: "user-1", properties: { city: "Köln" } },
      { type: RecordType.TRACK, accountId: "user-1", eventName: "log in" },
    ],
  });
  say(`     ${accepted} accepted, ${refused} refused`);
  for (const { outcome } of results) if (outcome.case === "refused") say(`     ${outcome.value.message}`);
}

async function showUsers({ say, transport }: Demo, sliceDate: string): Promise<void> {
  say(`\n   AnalysisProxy/ListEventUsers over gRPC: the users counted on ${sliceDate}`);
  const users = {
    projectId,
    sliceDate,
    eventIndex: 0,
    eventView: { recentDay: eventView.recentDay, timeParticleSize: TimeParticleSize.DAY },
    events: [{ type: MetricType.NORMAL, eventName: "login", analysis: Aggregation.TRIG_USER_NUM }],
  };
  const proxy = createClient(AnalysisProxy, transport);
  // The city of one user was reported after the logins.
  const { data } = await until(
    () => proxy.listEventUsers({ token, query: users }),
    (result) => result.data?.datalist.some(({ properties }) => properties?.["city"] !== undefined) ?? false,
  );
  for (const { userId, accountId, properties } of data?.datalist ?? []) {
    say(`     ${userId} ${accountId} ${JSON.stringify(properties ?? {})}`);
  }
}

function loginOf(user: number, timeMs: number): object {
  return {
    "#type": "track",
    "#event_name": "login",
    "#account_id": `user-${user}`,
    "#time": new Date(timeMs).toISOString().replace("T", " ").slice(0, 19),
    properties: { level: user },
  };
}

/** Sends a request and resolves with the body of the response. */
export async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const json = { "content-type": "application/json", ...headers };
  const response = await fetch(url, { method: "POST", headers: json, body: JSON.stringify(body) });
  return response.text();
}

/** Queries until all logins are counted, since records can be queried only a moment after they were accepted. */
async function queryResult(url: string): Promise<QueryData> {
  return await until(
    async () => (JSON.parse(await post(url, query)) as { data: QueryData }).data,
    ({ y }) => {
      const [entry] = y[0]?.["login.TRIG_USER_NUM"] ?? [];
      return (entry?.values ?? []).reduce((sum, value) => sum + Number(value), 0) === logins;
    },
  );
}
