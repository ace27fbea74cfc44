import { ConnectError } from "@connectrpc/connect";
import { type ReadonlySignal, signal } from "@preact/signals";
import { AnalysisProxy } from "../../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { EventQuery } from "../../../../../gen/engage/analysis/v1/query_pb.ts";
import type { EventAnalysis } from "../../../../../gen/engage/analysis/v1/result_pb.ts";
import { BadRequestSchema } from "../../../../../gen/google/rpc/error_details_pb.ts";
import type { JsonTree } from "../../../controls/json-tree.ts";
import { pinRanges } from "../../../results/snapshot.ts";
import { type Fault, faultOf } from "../../../rpc/fault.ts";
import { clientOf } from "../../../rpc/transport.ts";
import type { FieldFault } from "../state/faults.ts";

const client = clientOf(AnalysisProxy);

/** A result with the query that it is of. */
export interface Run {
  readonly tree: JsonTree;
  /** The query with the days of the result. */
  readonly query: EventQuery;
  readonly result: EventAnalysis;
  readonly tookMs: number;
}

/** A query that failed. */
export interface FailedRun {
  readonly tree: JsonTree;
  readonly fault: Fault;
  /** The faults that name a field of the query. */
  readonly fields: readonly FieldFault[];
}

export interface Runner {
  /** The latest result, which stays while the next query runs. */
  readonly run: ReadonlySignal<Run | undefined>;
  readonly failed: ReadonlySignal<FailedRun | undefined>;
  /** When the running query began; undefined while none runs. */
  readonly startedMs: ReadonlySignal<number | undefined>;
  /** Runs a query. One that still runs is cancelled first, so that there is never more than one. */
  start(tree: JsonTree, query: EventQuery): void;
  cancel(): void;
}

export function createRunner(): Runner {
  const run = signal<Run | undefined>(undefined);
  const failed = signal<FailedRun | undefined>(undefined);
  const startedMs = signal<number | undefined>(undefined);
  let present = new AbortController();
  let ended: Promise<void> = Promise.resolve();
  const call = async (tree: JsonTree, query: EventQuery, end: AbortSignal): Promise<void> => {
    const startMs = Date.now();
    startedMs.value = startMs;
    try {
      const { data } = await client.analyzeEvents({ query }, { signal: end });
      if (end.aborted || data === undefined) return;
      failed.value = undefined;
      run.value = { tree, query: pinRanges(query, data.info), result: data, tookMs: Date.now() - startMs };
    } catch (error) {
      if (!end.aborted) failed.value = { tree, fault: faultOf(error), fields: fieldFaultsOf(error) };
    } finally {
      startedMs.value = undefined;
    }
  };
  return {
    run,
    failed,
    startedMs,
    start(tree, query) {
      present.abort();
      const next = new AbortController();
      present = next;
      ended = ended.then(() => (next.signal.aborted ? undefined : call(tree, query, next.signal)));
    },
    cancel: () => present.abort(),
  };
}

function fieldFaultsOf(error: unknown): readonly FieldFault[] {
  const details = ConnectError.from(error).findDetails(BadRequestSchema);
  return details.flatMap(({ fieldViolations }) =>
    fieldViolations.map(({ field, description }) => ({ field, description })),
  );
}
