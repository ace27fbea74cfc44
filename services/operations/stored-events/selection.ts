import { Code, ConnectError } from "@connectrpc/connect";
import { eachViolation, refuseField, refuseViolations } from "../../../base/rpc/invalid-fields.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import { bare, createHintBudget, knownNames, listKnown } from "../../../base/text/known-names.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { parseDate } from "../../../base/time/local-time.ts";
import { dayMs } from "../../../base/time/units.ts";
import { compileToInstant } from "../../../base/time/zone.ts";
import type { EventSelection, UserId } from "../../../gen/engage/operations/v1/stored_events_pb.ts";
import type { EventStore } from "../../../store/events/events.ts";

/** A project of the configuration. */
export interface SelectedProject {
  readonly zone: string;
  /** Whether its events are in the store of this service. */
  readonly isStored: boolean;
}

type StoreSelection = Omit<Parameters<EventStore["deleteEvents"]>[0], "userIds">;

const maxUsers = 1_000;

/** Reads all of a selection but its users. @throws InvalidFieldsError, ConnectError */
export function readSelection(
  selection: EventSelection,
  projects: ReadonlyMap<number, SelectedProject>,
  schemaOf: EventStore["schema"],
): StoreSelection {
  const { projectId: id, events, fromDay, toDay, users } = selection;
  if (id === 0n) refuseField("selection.project_id", "is required");
  const projectId = Number(id);
  const project = projects.get(projectId);
  if (project === undefined) {
    const known = listKnown([...projects.keys()].map(String), { write: bare });
    throw new ConnectError(`project ${id} is not known, ${known}`, Code.NotFound);
  }
  if (!project.isStored) {
    const message = `the events of project ${id} are stored by the platform, which alone can delete them`;
    throw new ConnectError(message, Code.FailedPrecondition);
  }
  const known = [...schemaOf(projectId).events.keys()];
  refuseViolations([...checkEvents(events, known), ...checkUsers(users)]);
  const range = rangeOf(project.zone, fromDay, toDay);
  return { projectId, ...range, ...(events.length > 0 && { events: [...new Set(events)] }) };
}

function checkEvents(events: readonly string[], known: readonly string[]): readonly Violation[] {
  const names = new Set(known);
  const budget = createHintBudget();
  return eachViolation(events, (name, at) => {
    if (names.has(name)) return [];
    const description = `is ${quoteText(name)}, which is not known, ${knownNames(name, known, { budget })}`;
    return [{ field: `selection.events[${at}]`, description }];
  });
}

function checkUsers(users: readonly UserId[]): readonly Violation[] {
  if (users.length > maxUsers)
    return [
      { field: "selection.users", description: `has ${users.length} users, at most ${maxUsers} are valid` },
    ];
  return users.flatMap(({ id }, at) => {
    const field = `selection.users[${at}]`;
    if (id.case === undefined)
      return [{ field, description: "is empty, valid is one of account_id, distinct_id and user_id" }];
    return id.value === "" ? [{ field, description: "is an empty text, valid is an id" }] : [];
  });
}

function rangeOf(zone: string, fromDay: string, toDay: string): { startMs: number; endMs: number } {
  const toInstant = compileToInstant(zone);
  const startMs = fromDay === "" ? Number.NEGATIVE_INFINITY : toInstant(dayOf("from_day", fromDay));
  const endMs = toDay === "" ? Number.POSITIVE_INFINITY : toInstant(dayOf("to_day", toDay) + dayMs);
  if (startMs >= endMs)
    refuseField(
      "selection.to_day",
      `is ${quoteText(toDay)}, which is before from_day, ${quoteText(fromDay)}`,
    );
  return { startMs, endMs };
}

function dayOf(field: string, text: string): number {
  return (
    parseDate(text) ??
    refuseField(`selection.${field}`, `is ${quoteText(text)}, valid are days as yyyy-MM-dd`)
  );
}

/** Returns an id in the form of the store. */
export function identifierOf({ id }: UserId) {
  switch (id.case) {
    case "accountId":
      return { accountId: id.value };
    case "distinctId":
      return { distinctId: id.value };
    case "userId":
      return { userId: id.value };
    case undefined:
      return {};
  }
}
