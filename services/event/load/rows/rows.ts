import type { Property, PropertyTable } from "../../../../store/events/events.ts";
import type { CheckedEvent, CheckedUpdate, CheckedUser, CheckedValue } from "../../record/record.ts";
import type { ProjectState } from "../project-state.ts";
import type { NumberSet } from "./number-set.ts";
import type { RowFile } from "./row-file.ts";

/** Writes a PreparedEvent. */
export function writeEvent(
  file: RowFile,
  state: ProjectState,
  event: CheckedEvent,
  userId: number,
  receivedMs: number,
  used: NumberSet,
): void {
  file.raw("{");
  writeEventFields(file, state, event, userId, receivedMs, used);
  file.raw("}");
  file.endLine();
}

/** Writes a PreparedUpdate. */
export function writeUpdate(
  file: RowFile,
  state: ProjectState,
  update: CheckedUpdate,
  userId: number,
  receivedMs: number,
): void {
  file.raw('{"i":');
  file.text(update.eventId);
  file.raw(`,"o":"${update.mode}",`);
  writeEventFields(file, state, update, userId, receivedMs);
  file.raw("}");
  file.endLine();
}

/** Writes a SeenUser. */
export function writeSeen(
  file: RowFile,
  userId: number,
  accountId: string | undefined,
  distinctId: string | undefined,
): void {
  file.raw('{"u":');
  file.number(userId);
  writeIds(file, accountId, distinctId);
  file.raw("}");
  file.endLine();
}

/** Writes a PreparedUser, after one that unsets the removed members of objects. */
export function writeUser(file: RowFile, state: ProjectState, user: CheckedUser, userId: number): void {
  if (user.cleared.length > 0) {
    beginUser(file, "unset", userId);
    writeUnset(file, user.cleared);
    file.raw("}");
    file.endLine();
  }
  beginUser(file, user.operation, userId);
  writeValues(file, state, "user", user.values);
  file.raw("}");
  file.endLine();
}

function beginUser(file: RowFile, operation: CheckedUser["operation"], userId: number): void {
  file.raw(`{"u":${userId},"o":"${operation}","p":`);
}

function writeEventFields(
  file: RowFile,
  state: ProjectState,
  event: CheckedEvent | CheckedUpdate,
  userId: number,
  receivedMs: number,
  used?: NumberSet,
): void {
  file.raw('"e":');
  file.number(state.eventNumber(event.name));
  file.raw(',"t":');
  file.number(event.timeMs);
  file.raw(',"r":');
  file.number(receivedMs);
  file.raw(',"u":');
  file.number(userId);
  writeIds(file, event.accountId, event.distinctId);
  file.raw(',"p":');
  writeValues(file, state, "event", event.values, used);
}

function writeIds(file: RowFile, accountId: string | undefined, distinctId: string | undefined): void {
  if (accountId !== undefined) {
    file.raw(',"a":');
    file.text(accountId);
  }
  if (distinctId !== undefined) {
    file.raw(',"d":');
    file.text(distinctId);
  }
}

function writeValues(
  file: RowFile,
  state: ProjectState,
  table: PropertyTable,
  values: readonly CheckedValue[],
  used?: NumberSet,
): void {
  if (values.length === 0) file.raw("{");
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!;
    const { number } = value.known ?? state.propertyOf(table, value);
    used?.add(number);
    file.raw(at === 0 ? '{"' : ',"');
    file.number(number);
    file.raw('":');
    writeValue(file, value.value);
  }
  file.raw("}");
}

function writeUnset(file: RowFile, properties: readonly Property[]): void {
  file.raw(`{${properties.map(({ number }) => `"${number}":null`).join(",")}}`);
}

function writeValue(file: RowFile, value: unknown): void {
  if (typeof value === "string") file.text(value);
  else if (typeof value === "number") file.number(value);
  else if (Array.isArray(value)) writeList(file, value);
  else file.raw(String(value));
}

function writeList(file: RowFile, list: readonly unknown[]): void {
  file.raw("[");
  for (let at = 0; at < list.length; at++) {
    if (at > 0) file.raw(",");
    writeValue(file, list[at]);
  }
  file.raw("]");
}
