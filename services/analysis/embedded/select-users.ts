import { create } from "@bufbuild/protobuf";
import { EventViewSchema } from "../../../gen/engage/analysis/v1/event_view_pb.ts";
import type { Filter } from "../../../gen/engage/analysis/v1/filter_pb.ts";
import { PatternTooLargeError, PlanTooLargeError, type UserChunk } from "../../../store/events/events.ts";
import { describeFilters } from "../describe/condition/filter.ts";
import { looksAtEvents } from "../describe/condition/looks-at-events.ts";
import { findLargestPattern } from "../describe/condition/pattern-size.ts";
import { createContext } from "../describe/describe.ts";
import {
  createProblems,
  refuseLargePattern,
  refuseLargePlan,
  refuseUndeclared,
} from "../describe/problems.ts";
import type { UserPort } from "../project/project.ts";
import { valuesOf } from "../shape/users.ts";
import type { PlanSource } from "./plan-query.ts";

/** Creates the port that selects users of one project from the event store. */
export function createUserPort({ store, project, now }: PlanSource): UserPort {
  return {
    /**
     * Refuses cohorts that are not declared: the result cannot have warnings, and such a cohort would match no user or
     * all users.
     */
    async select(conditions, columns, signal, caller) {
      const cohorts = await store.cohorts(project.id);
      signal.throwIfAborted();
      const schema = store.schema(project.id);
      const problems = createProblems();
      const source = { project, schema, cohorts, nowMs: now(), reportUndeclared: refuseUndeclared };
      const context = createContext({}, source, problems);
      const where = describeFilters(conditions, "", context);
      problems.throwIfAny();
      if (looksAtEvents(where)) return undefined;
      const selection = { projectId: project.id, caller, where, ...valuesOf(columns, schema) };
      return namePatterns(store.selectUsers(selection, signal), conditions.filts);
    },
  };
}

/** Names the place of what the store refuses. */
async function* namePatterns(
  found: AsyncIterable<UserChunk>,
  filts: readonly Filter[],
): AsyncGenerator<UserChunk> {
  try {
    yield* found;
  } catch (error) {
    if (error instanceof PlanTooLargeError) throw refuseLargePlan();
    if (!(error instanceof PatternTooLargeError)) throw error;
    const pattern = findLargestPattern({
      eventView: create(EventViewSchema, { filts: [...filts] }),
      events: [],
    });
    throw refuseLargePattern(pattern && { ...pattern, field: pattern.field.replace(/^eventView\./, "") });
  }
}
