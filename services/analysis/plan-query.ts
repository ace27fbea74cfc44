import type { EventStore } from "../../store/events/events.ts";
import { mentionsClusters, type ProjectDefinitions } from "./definitions.ts";
import { compileSpread, type EventPlan } from "./describe/event-plan.ts";
import { type AnyQuery, describeQuery } from "./describe/event-query.ts";
import { cutKey, type PlannedKey } from "./describe/group-by.ts";
import type { Problems } from "./describe/problems.ts";

export interface PlanSource {
  readonly store: EventStore;
  readonly project: ProjectDefinitions;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The plan of a query, with what only the store can tell of it. @throws AnalysisRefusal. @param check as in describeQuery */
export async function planQuery(
  { store, project, now }: PlanSource,
  query: AnyQuery,
  signal: AbortSignal,
  check: (problems: Problems) => void,
): Promise<EventPlan> {
  const needsClusters = project.usesClusters || mentionsClusters(query);
  const clusters = needsClusters ? await store.clusters(project.id) : [];
  signal.throwIfAborted();
  const schema = store.schema(project.id);
  const plan = describeQuery(query, { project, schema, clusters, nowMs: now() }, check);
  const cut = async (planned: PlannedKey): Promise<PlannedKey> =>
    planned.needsSpread
      ? cutKey(planned, await store.spread(compileSpread(plan), planned.key, signal))
      : planned;
  const keys: PlannedKey[] = [];
  for (const planned of plan.keys) keys.push(await cut(planned));
  return { ...plan, keys, split: plan.split && (await cut(plan.split)) };
}
