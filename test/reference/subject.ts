import type { DescMessage } from "@bufbuild/protobuf";
import { z } from "zod";
import type {
  DownloadEventsResponse,
  EventTableHeader,
} from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import {
  type EventDownloadQuery,
  EventDownloadQuerySchema,
  type EventQuery,
  EventQuerySchema,
  type EventUserQuery,
  EventUserQuerySchema,
} from "../../gen/engage/analysis/v1/query_pb.ts";
import type {
  EventAnalysis,
  Group,
  GroupEntry,
  GroupValue,
  MetricResult,
  Series,
  TimeBucket,
} from "../../gen/engage/analysis/v1/result_pb.ts";
import { createEmbeddedEngine } from "../../services/analysis/embedded/embedded.ts";
import { projectAnalysisShape } from "../../services/analysis/project/config.ts";
import { defineProject, type ProjectDefinitions } from "../../services/analysis/project/definitions.ts";
import { AnalysisRefusal, returnCodes } from "../../services/analysis/refusal/refusal.ts";
import { decodeQueryBody } from "../../services/analysis/rest/query-body.ts";
import type { Label } from "./groups.ts";
import type { ReceivedRecord } from "./ingest.ts";
import { type OpenStore, openLoadedStore, zoneText } from "./loaded-store.ts";
import type { ReferenceProject } from "./project.ts";
import { Refused } from "./refused.ts";

/** An answer, as far as the reference tells it too. */
export interface Answer {
  readonly x: readonly string[];
  readonly xCompared: readonly string[];
  readonly results: readonly Result[];
  readonly unionGroups: readonly (readonly Label[])[];
  readonly unionGroupNum: number;
}

export interface Result {
  readonly index: number;
  readonly split: Label | undefined;
  readonly groupNum: number;
  readonly groups: readonly {
    readonly cols: readonly Label[];
    readonly values: readonly (number | null)[];
    readonly compared: readonly (number | null)[] | undefined;
  }[];
}

/** The real thing, asked in the form that clients post. Rejects with Refused where it answers -1001. */
export interface Subject extends AsyncDisposable {
  analyze(body: unknown): Promise<Answer>;
  /** All groups, from the messages of a download; it does not tell the union of groups. */
  download(body: unknown): Promise<Answer>;
  /** Ids, ascending. */
  listUsers(body: unknown): Promise<readonly number[]>;
}

export async function openSubject(
  project: ReferenceProject,
  records: readonly ReceivedRecord[],
  nowMs: number,
  openStore?: OpenStore,
): Promise<Subject> {
  const loaded = await openLoadedStore(project, records, openStore);
  const { store } = loaded;
  const engine = createEmbeddedEngine({ store, project: definitionsOf(project), now: () => nowMs });
  const call = () => ({ signal: AbortSignal.timeout(30_000), rest: undefined });
  return {
    analyze: (body) =>
      tellRefusals(async () => {
        const query = decode(EventQuerySchema, body) as EventQuery;
        return readAnswer((await engine.analyze(query, call())).message.data!);
      }),
    download: (body) =>
      tellRefusals(async () => {
        const query = decode(EventDownloadQuerySchema, body) as EventDownloadQuery;
        return readDownload(engine.download(query, call()));
      }),
    listUsers: (body) =>
      tellRefusals(async () => {
        const query = decode(EventUserQuerySchema, body) as EventUserQuery;
        const { message } = await engine.listUsers(query, call());
        return message.data!.datalist.map(({ userId }) => Number(userId)).sort((a, b) => a - b);
      }),
    [Symbol.asyncDispose]: () => loaded[Symbol.asyncDispose](),
  };
}

function definitionsOf(project: ReferenceProject): ProjectDefinitions {
  const { projectId, zone, weekStart, cohorts, tags, dimensions, virtualProperties, metrics } = project;
  const declared = { weekStart, cohorts, tags, dimensions, virtualProperties, metrics };
  const config = z.strictObject(projectAnalysisShape).parse(declared);
  return defineProject({ ...config, id: projectId, zone: zoneText(zone) }, () => []);
}

function decode(desc: DescMessage, body: unknown): unknown {
  const raw = Buffer.from(JSON.stringify(body));
  const { message, attachment } = decodeQueryBody(desc, { raw, json: () => JSON.parse(raw.toString()) });
  if (attachment.refusal !== undefined) throw attachment.refusal;
  return message;
}

async function tellRefusals<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const isRefusal = error instanceof AnalysisRefusal && error.returnCode === returnCodes.parameter;
    throw isRefusal ? new Refused("body", error.message) : error;
  }
}

function readAnswer(data: EventAnalysis): Answer {
  return {
    x: data.x.map(readBucket),
    xCompared: data.xCompared.map(readBucket),
    results: data.y.map(({ eventIndex, splitValue, groupNum, entries }) => ({
      index: eventIndex,
      split: splitValue && readLabel(splitValue),
      groupNum,
      groups: entries.map(readEntry),
    })),
    unionGroups: data.unionGroups.map(({ groupCols }: Group) => groupCols.map(readLabel)),
    unionGroupNum: data.unionGroupNum,
  };
}

/** Rows of one metric, or of one value it is split by, come in pieces. */
async function readDownload(messages: AsyncIterable<DownloadEventsResponse>): Promise<Answer> {
  const axes: EventTableHeader[] = [];
  const rows: MetricResult[] = [];
  for await (const { content } of messages) {
    if (content.case === "header") axes.push(content.value);
    if (content.case === "rows") rows.push(content.value);
  }
  const keyOf = ({ eventIndex, splitValue }: MetricResult) =>
    JSON.stringify([eventIndex, splitValue === undefined ? [] : [readLabel(splitValue)]]);
  const results = [...Map.groupBy(rows, keyOf).values()].map((pieces) => ({
    index: pieces[0]!.eventIndex,
    split: pieces[0]!.splitValue && readLabel(pieces[0]!.splitValue),
    groupNum: pieces[0]!.groupNum,
    groups: pieces.flatMap(({ entries }) => entries.map(readEntry)),
  }));
  return {
    x: axes.flatMap(({ x }) => x.map(readBucket)),
    xCompared: axes.flatMap(({ xCompared }) => xCompared.map(readBucket)),
    results: results.filter(({ groups }) => groups.length > 0),
    unionGroups: [],
    unionGroupNum: 0,
  };
}

function readBucket({ label }: TimeBucket): string {
  return label;
}

function readEntry({ groupCols, values, valuesCompared }: GroupEntry): Result["groups"][number] {
  return {
    cols: groupCols.map(readLabel),
    values: readSeries(values!),
    compared: valuesCompared && readSeries(valuesCompared),
  };
}

function readSeries({ numbers, missing }: Series): (number | null)[] {
  const absent = new Set(missing);
  return numbers.map((number, at) => (absent.has(at) ? null : number));
}

function readLabel({ value }: GroupValue): Label {
  return value.case === "label" ? value.value : null;
}
