import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { EventQuerySchema } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import type {
  EventAnalysis,
  GroupValue,
  MetricResult,
  Series,
} from "../../../../gen/engage/analysis/v1/result_pb.ts";
import { createEmbeddedEngine } from "../../../../services/analysis/embedded/embedded.ts";
import { type Asked, bodyOf, noon, projectOf } from "../describe/described.ts";
import { readBody } from "../rest/read-body.ts";
import { createScriptedStore, type Script } from "./scripted-store.ts";

export const call = (signal = new AbortController().signal) => ({ signal, rest: undefined });

export function engineOn(script: Script, project = projectOf()) {
  const scripted = createScriptedStore(script);
  return { ...scripted, engine: createEmbeddedEngine({ store: scripted.store, project, now: () => noon }) };
}

export function queryOf<Desc extends DescMessage>(desc: Desc, asked: Asked): MessageShape<Desc> {
  const { query, refused } = readBody(desc, bodyOf(asked));
  if (refused !== undefined) throw new Error(refused);
  return query;
}

/** Runs a query of two days by day, unless its view is given. */
export async function analyze(script: Script, { view, ...asked }: Asked): Promise<EventAnalysis> {
  const query = queryOf(EventQuerySchema, { ...asked, view: { recentDay: "1-2", ...view } });
  const { data } = (await engineOn(script).engine.analyze(query, call())).message;
  return data!;
}

export async function collect<T>(pieces: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

export const labelOf = ({ value }: GroupValue) => (value.case === "label" ? value.value : null);
export const numbersOf = (series: Series | undefined) =>
  series?.numbers.map((number, i) => (series.missing.includes(i) ? null : number));
/** Returns the labels, the numbers, and the compared numbers if there are any. */
export const entriesOf = ({ entries }: MetricResult) =>
  entries.map(({ groupCols, values, valuesCompared }) => [
    groupCols.map(labelOf),
    numbersOf(values),
    ...(valuesCompared === undefined ? [] : [numbersOf(valuesCompared)]),
  ]);
