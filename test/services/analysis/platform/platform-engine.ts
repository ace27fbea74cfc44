import { create, type Message } from "@bufbuild/protobuf";
import { TableType } from "../../../../gen/engage/analysis/v1/column_pb.ts";
import { Aggregation, MetricType } from "../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { TimeParticleSize } from "../../../../gen/engage/analysis/v1/event_view_pb.ts";
import {
  EventDownloadQuerySchema,
  EventQuerySchema,
  EventUserDownloadQuerySchema,
  EventUserQuerySchema,
} from "../../../../gen/engage/analysis/v1/query_pb.ts";
import type { EngineCall, EngineResponse, RestCall } from "../../../../services/analysis/engine.ts";
import { platformConfigSchema } from "../../../../services/analysis/platform/config.ts";
import {
  openPlatformEngine,
  type PlatformDeps,
  type PlatformEngine,
} from "../../../../services/analysis/platform/platform.ts";

/** A token with characters that URLs escape. */
export const token = "s3cr3t+token/of=ours";

/** Opens an engine with short time limits and the given configuration. */
export function openEngine(baseUrl: string, config: object = {}, deps: Partial<PlatformDeps> = {}) {
  const settings = { baseUrl, token, timeoutMs: 5_000, idleTimeoutMs: 5_000, retries: 0, ...config };
  return openPlatformEngine(platformConfigSchema.parse(settings), {
    now: () => performance.now(),
    random: () => 0,
    ...deps,
  });
}

const groupBy = [{ columnName: "version", tableType: TableType.EVENT }];
const eventView = { recentDay: "1-7", timeParticleSize: TimeParticleSize.DAY, groupBy };
const events = [
  {
    type: MetricType.NORMAL,
    eventName: "install",
    analysis: Aggregation.TRIG_USER_NUM,
    eventUuid: "u-1",
    eventNameDisplay: "Installs",
  },
];
const common = { projectId: 377n, eventView, events, zoneOffset: 8 };

export const query = create(EventQuerySchema, common);
export const userQuery = create(EventUserQuerySchema, {
  ...common,
  sliceDate: "2026-08-23",
  sliceGroupVal: [{ value: { case: "label", value: "1.0" } }],
  eventIndex: 0,
});
export const downloadQuery = create(EventDownloadQuerySchema, common);
export const userDownloadQuery = create(EventUserDownloadQuerySchema, {
  ...common,
  sliceGroupVal: userQuery.sliceGroupVal,
  eventIndex: 0,
  selectedColumns: ["#account_id", "vip"],
});

/** The call of a REST caller. Its body differs from the one of the typed query. */
export const restCall: RestCall = {
  body: Buffer.from('{ "projectId": 377, "odd": 1.0 }'),
  search: new URLSearchParams("a=1&b=x%20y"),
};

export const operations = ["analyze", "listUsers", "download", "downloadUsers"] as const;
export type Operation = (typeof operations)[number];
export type CallerKind = "rest" | "typed";
export const callers: readonly CallerKind[] = ["rest", "typed"];

/** Runs one operation to its end. */
export async function run(
  engine: PlatformEngine,
  operation: Operation,
  caller: CallerKind,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly object[]> {
  return await runWith(engine, operation, { signal, rest: caller === "rest" ? restCall : undefined });
}

/** Runs one operation with its options, to its end. */
export async function runWith(
  engine: PlatformEngine,
  operation: Operation,
  call: EngineCall,
): Promise<readonly object[]> {
  switch (operation) {
    case "analyze":
      return partsOf(await engine.analyze(query, call));
    case "listUsers":
      return partsOf(await engine.listUsers(userQuery, call));
    case "download":
      return collect(engine.download(downloadQuery, call));
    case "downloadUsers":
      return collect(engine.downloadUsers(userDownloadQuery, call));
  }
}

/** Returns the message, and its bytes if there are any. */
function partsOf({ message, json }: EngineResponse<Message>): readonly object[] {
  return json === undefined ? [message] : [message, json];
}

/** Responses that the operations can read. */
export const goodAnswers: Readonly<Record<Operation, { readonly type: string; readonly body: string }>> = {
  analyze: {
    type: "application/json",
    body: '{"return_code":0,"return_message":"success","data":{"x":["2026-08-23"],"y":[{"install.TRIG_USER_NUM":[{"group_cols":["1.0"],"group_num":1,"values":["7"]}]}]}}',
  },
  listUsers: {
    type: "application/json",
    body: '{"return_code":0,"return_message":"success","data":{"datalist":[{"#user_id":1}],"columMeta":{}}}',
  },
  download: {
    type: "text/csv; charset=utf-8",
    body: '"Metric","version","2026-08-23"\n"Installs","1.0","7"\n',
  },
  downloadUsers: { type: "text/csv; charset=utf-8", body: '"Account","VIP"\n"a","1"\n' },
};

/** Returns the error of a call. */
export async function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => new Error("it did not fail"),
    (error: unknown) => error,
  );
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
