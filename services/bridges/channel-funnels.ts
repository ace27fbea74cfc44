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
import type { FunnelCounts, FunnelEvents, FunnelQuery, FunnelResult } from "../channel/delivery/funnels.ts";
import type { UserPorts } from "./channel-users.ts";
import { channelAsker, countUsers, timeText } from "./user-queries.ts";

type Engine = UserPorts["projects"] extends ReadonlyMap<number, { readonly engine: infer E }> ? E : never;

const receipt = "#ops_receipt_properties";
const segmentMembers = ["ops_exp_group_id", "ops_push_language"] as const;
const maxSegments = 10_000;

/** Counts events of projects by their receipts, with the queries of analysis. */
export function createChannelFunnels({ projects }: Pick<UserPorts, "projects">): FunnelEvents {
  return async (query, signal) => {
    const engine = projects.get(query.projectId)?.engine;
    if (engine === undefined) return nothing(query);
    const [all, segments] = [
      await countAll(engine, query, signal),
      await countSegments(engine, query, signal),
    ];
    if (query.conversionEvents.length === 0) return { ...all, segments };
    const converted = await usersOf(engine, query, query.conversionEvents, [], signal);
    const conversionsOf = async (filts: readonly Filter[]): Promise<number> => {
      const reached = await usersOf(
        engine,
        query,
        query.events,
        [...receiptFilters(query), ...filts],
        signal,
      );
      return reached.intersection(converted).size;
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

function nothing({ events }: FunnelQuery): FunnelResult {
  return { users: events.map(() => 0), conversions: 0, segments: [] };
}

async function countAll(engine: Engine, query: FunnelQuery, signal: AbortSignal): Promise<FunnelCounts> {
  const results = await analyze(engine, query, false, signal);
  return { users: results.map(({ entries }) => numberOf(entries[0])), conversions: 0 };
}

async function countSegments(
  engine: Engine,
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
  engine: Engine,
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
    asker: channelAsker(query.projectId),
    rest: undefined,
  });
  return query.events.map((_name, i) => message.data!.y.find(({ eventIndex }) => eventIndex === i)!);
}

/** Ids of the different users who had any of the events. */
async function usersOf(
  engine: Engine,
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
    for await (const { content } of engine.downloadUsers(request, {
      signal,
      asker: channelAsker(query.projectId),
      rest: undefined,
    })) {
      if (content.case !== "rows") continue;
      for (const { values } of content.value.rows) found.add(String(values[0]?.kind.value));
    }
  }
  return found;
}

function rangeOf({ fromMs, toMs }: FunnelQuery) {
  // Both ends are in it, by the second.
  return {
    timeParticleSize: TimeParticleSize.TOTAL,
    startTime: timeText(fromMs),
    endTime: timeText(Math.max(fromMs, toMs - 1)),
  };
}

function receiptFilters({ receipt: members }: FunnelQuery): readonly Filter[] {
  return Object.entries(members).map(([name, value]) => memberFilter(name, value));
}

/** An empty value: the receipt has none. */
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
