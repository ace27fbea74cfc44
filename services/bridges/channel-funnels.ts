import { create } from "@bufbuild/protobuf";
import { TableType } from "../../gen/engage/analysis/v1/column_pb.ts";
import { TimeParticleSize } from "../../gen/engage/analysis/v1/event_view_pb.ts";
import { Comparator, type Filter, FilterSchema } from "../../gen/engage/analysis/v1/filter_pb.ts";
import {
  EventQuerySchema,
  type EventUserDownloadQuery,
  EventUserDownloadQuerySchema,
} from "../../gen/engage/analysis/v1/query_pb.ts";
import type { GroupEntry, MetricResult } from "../../gen/engage/analysis/v1/result_pb.ts";
import type { AnalysisEngine } from "../analysis/engine.ts";
import type { FunnelCounts, FunnelEvents, FunnelQuery, FunnelResult } from "../channel/ports.ts";
import type { AnalysisPorts } from "./channel-audience.ts";
import { channelCaller, countUsers, type FoundReader, formatQueryTime, readUsers } from "./user-queries.ts";

const receipt = "#ops_receipt_properties";
const segmentMembers = ["ops_exp_group_id", "ops_push_language"] as const;
const maxSegments = 10_000;

/** Creates the funnels of channels: analysis counts the users whose events carry the receipt of a run. */
export function createChannelFunnels({ projects }: Pick<AnalysisPorts, "projects">): FunnelEvents {
  return async (query, signal) => {
    const engine = projects.get(query.projectId)?.engine;
    if (engine === undefined) return noUsers(query);
    const all = await countAll(engine, query, signal);
    const segments = await countSegments(engine, query, signal);
    if (query.conversionEvents.length === 0) return { ...all, segments };
    const converted = await usersOf(engine, query, query.conversionEvents, [], signal);
    const conversionsOf = async (segmentFilts: readonly Filter[]): Promise<number> => {
      const filts = [...receiptFilters(query), ...segmentFilts];
      return (await usersOf(engine, query, query.events, filts, signal)).intersection(converted).size;
    };
    const withConversions: FunnelResult["segments"][number][] = [];
    for (const segment of segments) {
      const filts = [
        memberFilter("ops_exp_group_id", segment.groupId),
        memberFilter("ops_push_language", segment.language),
      ];
      withConversions.push({ ...segment, conversions: await conversionsOf(filts) });
    }
    return { ...all, conversions: await conversionsOf([]), segments: withConversions };
  };
}

function noUsers({ events }: FunnelQuery): FunnelResult {
  return { users: events.map(() => 0), conversions: 0, segments: [] };
}

async function countAll(
  engine: AnalysisEngine,
  query: FunnelQuery,
  signal: AbortSignal,
): Promise<FunnelCounts> {
  const results = await analyze(engine, query, false, signal);
  return { users: results.map(({ entries }) => numberOf(entries[0])), conversions: 0 };
}

async function countSegments(
  engine: AnalysisEngine,
  query: FunnelQuery,
  signal: AbortSignal,
): Promise<FunnelResult["segments"]> {
  const results = await analyze(engine, query, true, signal);
  const keys = new Map(
    results.flatMap(({ entries }) =>
      entries.map((entry): [string, readonly string[]] => [keyOf(entry), labelsOf(entry)]),
    ),
  );
  return [...keys].map(([key, [groupId = "", language = ""]]) => ({
    groupId,
    language,
    conversions: 0,
    users: results.map(({ entries }) => numberOf(entries.find((entry) => keyOf(entry) === key))),
  }));
}

async function analyze(
  engine: AnalysisEngine,
  query: FunnelQuery,
  bySegment: boolean,
  signal: AbortSignal,
): Promise<readonly MetricResult[]> {
  const filts = receiptFilters(query);
  const request = create(EventQuerySchema, {
    projectId: BigInt(query.projectId),
    zoneOffset: 0,
    limit: maxSegments,
    useCache: true,
    eventView: {
      ...rangeOf(query),
      groupBy: bySegment
        ? segmentMembers.map((member) => ({ columnName: `${receipt}.${member}`, tableType: TableType.EVENT }))
        : [],
    },
    events: query.events.map((name) => countUsers(name, filts)),
  });
  const { message } = await engine.analyze(request, {
    signal,
    caller: channelCaller(query.projectId),
    rest: undefined,
  });
  return query.events.map((_name, i) => message.data!.y.find(({ eventIndex }) => eventIndex === i)!);
}

/** Reads the ids of users. */
const idReader: FoundReader<readonly string[]> = {
  users(some) {
    const ids: string[] = [];
    some.visit({ user: (id) => ids.push(String(id)), property() {} }, some.length);
    return ids;
  },
  rows: (rows) => rows.map(({ values: [id] }) => String(id?.kind.value)),
};

/** Returns the ids of the users who had any of the events. */
async function usersOf(
  engine: AnalysisEngine,
  query: FunnelQuery,
  events: readonly string[],
  filts: readonly Filter[],
  signal: AbortSignal,
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const eventIndex of events.keys()) {
    const request: EventUserDownloadQuery = create(EventUserDownloadQuerySchema, {
      projectId: BigInt(query.projectId),
      zoneOffset: 0,
      eventIndex,
      selectedColumns: ["#user_id"],
      eventView: rangeOf(query),
      events: events.map((name) => countUsers(name, filts)),
    });
    const call = { signal, caller: channelCaller(query.projectId), rest: undefined };
    for await (const ids of readUsers(engine, request, call, idReader)) for (const id of ids) found.add(id);
  }
  return found;
}

function rangeOf({ fromMs, toMs }: FunnelQuery) {
  // The range of a query includes both ends, in seconds.
  return {
    timeParticleSize: TimeParticleSize.TOTAL,
    startTime: formatQueryTime(fromMs),
    endTime: formatQueryTime(Math.max(fromMs, toMs - 1)),
  };
}

function receiptFilters({ receipt: members }: FunnelQuery): readonly Filter[] {
  return Object.entries(members).map(([name, value]) => memberFilter(name, value));
}

/** Returns the filter for a member of the receipt. An empty value matches receipts without the member. */
function memberFilter(name: string, value: string): Filter {
  return create(FilterSchema, {
    columnName: `${receipt}.${name}`,
    tableType: TableType.EVENT,
    ...(value === "" ? { comparator: Comparator.IS_NULL } : { comparator: Comparator.EQUAL, ftv: [value] }),
  });
}

function labelsOf({ groupCols }: GroupEntry): readonly string[] {
  return groupCols.map(({ value }) => (value.case === "label" ? value.value : ""));
}

function keyOf(entry: GroupEntry): string {
  return JSON.stringify(labelsOf(entry));
}

function numberOf(entry: GroupEntry | undefined): number {
  return entry?.values?.numbers[0] ?? 0;
}
