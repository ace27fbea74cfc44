import type { Property, PropertyTable } from "../../../store/events/events.ts";
import type { CheckedEvent, CheckedUpdate, CheckedUser, CheckedValue } from "../record/record.ts";
import type { ProjectState } from "./project-state.ts";

type Ids = Pick<CheckedUser, "accountId" | "distinctId">;

// Lines are put together from pieces of text: half of the time of making objects for JSON.stringify.

/** A line of PreparedEvent. */
export function eventLine(
  state: ProjectState,
  event: CheckedEvent,
  userId: number,
  receivedMs: number,
): string {
  return `{${eventFields(state, event, userId, receivedMs)}}\n`;
}

/** A line of PreparedUpdate. */
export function updateLine(
  state: ProjectState,
  update: CheckedUpdate,
  userId: number,
  receivedMs: number,
): string {
  const fields = eventFields(state, update, userId, receivedMs);
  return `{"i":${quote(update.eventId)},"o":"${update.mode}",${fields}}\n`;
}

/** A line of PreparedUser that makes a user known with these ids. */
export function seenLine(ids: Ids, userId: number): string {
  return `{"u":${userId}${idFields(ids)},"o":"seen","p":{}}\n`;
}

/** Lines of PreparedUser. */
export function userLines(state: ProjectState, user: CheckedUser, userId: number): readonly string[] {
  const head = `{"u":${userId}${idFields(user)},"o":`;
  const line = `${head}"${user.operation}","p":${valuesText(state, "user", user.values)}}\n`;
  if (user.cleared.length === 0) return [line];
  return [`${head}"unset","p":${unsetText(user.cleared)}}\n`, line];
}

function eventFields(
  state: ProjectState,
  event: CheckedEvent | CheckedUpdate,
  userId: number,
  receivedMs: number,
): string {
  const name = state.eventNumber(event.name);
  const values = valuesText(state, "event", event.values);
  return `"e":${name},"t":${event.timeMs},"r":${receivedMs},"u":${userId}${idFields(event)},"p":${values}`;
}

function idFields({ accountId, distinctId }: Ids): string {
  const account = accountId === undefined ? "" : `,"a":${quote(accountId)}`;
  return distinctId === undefined ? account : `${account},"d":${quote(distinctId)}`;
}

function valuesText(state: ProjectState, table: PropertyTable, values: readonly CheckedValue[]): string {
  let text = "{";
  let comma = "";
  for (const value of values) {
    const { number } = value.known ?? state.propertyOf(table, value);
    text += `${comma}"${number}":${valueText(value.value)}`;
    comma = ",";
  }
  return `${text}}`;
}

function unsetText(properties: readonly Property[]): string {
  return `{${properties.map(({ number }) => `"${number}":null`).join(",")}}`;
}

function valueText(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return quote(value);
  if (!Array.isArray(value)) return value === null ? "null" : String(value);
  return `[${value.map(valueText).join(",")}]`;
}

/** Half of a surrogate pair is no text that an engine takes. */
function quote(text: string): string {
  return JSON.stringify(text.isWellFormed() ? text : text.toWellFormed());
}
