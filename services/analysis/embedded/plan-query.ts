import { create } from "@bufbuild/protobuf";
import type { Trace } from "../../../base/trace/trace.ts";
import { WarningReason, WarningSchema } from "../../../gen/engage/analysis/v1/result_pb.ts";
import type { EventStore } from "../../../store/events/events.ts";
import { type CheckQuery, describeQuery } from "../describe/describe.ts";
import { compileSummaryScan, type EventPlan } from "../describe/event-plan.ts";
import { cutKey, type PlannedKey } from "../describe/group-by.ts";
import { type ReportUndeclared, warnUndeclared } from "../describe/problems.ts";
import type { AnyQuery } from "../engine.ts";
import { mentionsCohorts, type ProjectDefinitions } from "../project/definitions.ts";

export interface PlanSource {
  readonly store: EventStore;
  readonly project: ProjectDefinitions;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** See AnalysisProject. */
  readonly lateness?: (() => string | undefined) | undefined;
}

interface PlanOptions {
  readonly check: CheckQuery;
  readonly signal: AbortSignal;
  /** The token for which the query runs. */
  readonly caller?: string | undefined;
  /** The trace to which the statements of the query belong. */
  readonly trace?: Trace | undefined;
  readonly reportUndeclared?: ReportUndeclared;
}

/** Plans a query; reads the summary of values from the store if keys need it. @throws AnalysisRefusal */
export async function planQuery(
  source: PlanSource,
  query: AnyQuery,
  options: PlanOptions,
): Promise<EventPlan> {
  const { store } = source;
  const plan = await readQuery(source, query, options);
  const cut = async (planned: PlannedKey): Promise<PlannedKey> =>
    planned.needsSummary
      ? cutKey(planned, await store.summarize(compileSummaryScan(plan), planned.key, options.signal))
      : planned;
  const keys: PlannedKey[] = [];
  for (const planned of plan.keys) keys.push(await cut(planned));
  return { ...plan, keys, split: plan.split && (await cut(plan.split)) };
}

/** Plans a query without reading values. @throws AnalysisRefusal */
export async function readQuery(
  { store, project, now, lateness }: PlanSource,
  query: AnyQuery,
  { check, signal, caller, trace, reportUndeclared = warnUndeclared }: PlanOptions,
): Promise<EventPlan> {
  const needsCohorts = project.usesCohorts || mentionsCohorts(query);
  const cohorts = needsCohorts ? await store.cohorts(project.id) : [];
  signal.throwIfAborted();
  const schema = store.schema(project.id);
  const described = { project, schema, cohorts, nowMs: now(), reportUndeclared };
  const plan = describeQuery(query, described, check);
  const message = lateness?.();
  if (message === undefined) return { ...plan, caller, trace };
  const late = create(WarningSchema, { reason: WarningReason.NOT_LOADED, message });
  return { ...plan, caller, trace, warnings: [late, ...plan.warnings] };
}
