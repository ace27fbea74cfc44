import { dayMs, formatSecond, hourMs, parseTime } from "./calendar.ts";
import { createIdentities } from "./identity.ts";
import type { ReferenceProject } from "./project.ts";
import { createRegistry, isObject, type Registry, type Value } from "./values.ts";
import { toInstant, type Zone, zoneOf } from "./zone.ts";

export type StandardRecord = Readonly<Record<string, unknown>>;

export interface ReceivedRecord {
  readonly record: StandardRecord;
  readonly receivedMs: number;
}

export interface ReferenceEvent {
  readonly name: string;
  /** Instant. */
  readonly time: number;
  readonly received: number;
  readonly userId: number;
  readonly accountId: string | undefined;
  readonly distinctId: string | undefined;
  readonly values: ReadonlyMap<string, Value>;
}

export interface ReferenceUser {
  readonly userId: number;
  accountId: string | undefined;
  /** The visitor that came last. */
  distinctId: string | undefined;
  readonly visitors: Set<string>;
  readonly values: Map<string, Value>;
}

export interface ReferenceData {
  readonly project: ReferenceProject;
  readonly events: readonly ReferenceEvent[];
  readonly users: ReadonlyMap<number, ReferenceUser>;
  readonly registry: Registry;
}

const eventTypes = new Set(["track", "track_update", "track_overwrite"]);
const types = new Set([
  ...eventTypes,
  "user_set",
  "user_setOnce",
  "user_add",
  "user_append",
  "user_uniq_append",
  "user_unset",
  "user_del",
]);
const namePattern = /^[A-Za-z][A-Za-z0-9_]{0,49}$/;
const propertyPattern = /^(?:#[a-z][a-z0-9_]{0,49}|[A-Za-z][A-Za-z0-9_]{0,49})$/;

/** Takes records in, one after the other. */
export function ingest(project: ReferenceProject, records: readonly ReceivedRecord[]): ReferenceData {
  const identities = createIdentities();
  const registry = createRegistry();
  const users = new Map<number, ReferenceUser>();
  const plain: ReferenceEvent[] = [];
  const updatable = new Map<string, ReferenceEvent>();
  const claims = createClaims();
  const zone = zoneOf(project.zone);
  for (const { record, receivedMs } of records) {
    const accepted = accept(record, receivedMs, zone);
    if (!accepted || !claims.claim(record, receivedMs)) continue;
    const { accountId, distinctId } = accepted;
    const { userId, gained } = identities.resolve(accountId, distinctId);
    const user = users.get(userId) ?? newUser(userId);
    users.set(userId, user);
    user.accountId ??= accountId;
    user.distinctId = gained ?? user.distinctId;
    if (gained !== undefined) user.visitors.add(gained);
    const table = eventTypes.has(accepted.type) ? "event" : "user";
    const values = registry.take(table, accepted.properties, (local) =>
      table === "event" ? accepted.instantOf(local) : local,
    );
    if (table === "user") {
      applyUserOperation(user, accepted.type, values, accepted.properties);
      continue;
    }
    const event = {
      name: String(record["#event_name"]),
      time: accepted.time,
      received: receivedMs,
      userId,
      accountId,
      distinctId,
      values,
    };
    if (accepted.type === "track") plain.push(event);
    else
      keepUpdatable(
        updatable,
        `${event.name} ${record["#event_id"]}`,
        accepted.type,
        event,
        accepted.properties,
      );
  }
  return { project, events: [...plain, ...updatable.values()], users, registry };
}

function newUser(userId: number): ReferenceUser {
  return { userId, accountId: undefined, distinctId: undefined, visitors: new Set(), values: new Map() };
}

interface Accepted {
  readonly type: string;
  readonly time: number;
  readonly accountId: string | undefined;
  readonly distinctId: string | undefined;
  readonly properties: Readonly<Record<string, unknown>>;
  instantOf(local: number): number;
}

function accept(record: StandardRecord, receivedMs: number, zone: Zone): Accepted | undefined {
  const type = String(record["#type"]);
  const accountId = idOf(record["#account_id"]);
  const distinctId = idOf(record["#distinct_id"]);
  const properties = (record["properties"] ?? {}) as Record<string, unknown>;
  const timeText = String(record["#time"]);
  const local = parseTime(timeText);
  if (!types.has(type) || (!accountId && !distinctId) || !local || local.dateOnly) return undefined;
  if (eventTypes.has(type) && !namePattern.test(String(record["#event_name"]))) return undefined;
  if (Object.keys(properties).some((name) => !propertyPattern.test(name))) return undefined;
  const offset = properties["#zone_offset"];
  const instantOf = (localMs: number): number =>
    typeof offset === "number" ? localMs - Math.round(offset * hourMs) : toInstant(zone, localMs);
  const time = instantOf(local.ms);
  const oldest = new Date(receivedMs);
  oldest.setUTCFullYear(oldest.getUTCFullYear() - 3);
  if (time < oldest.getTime() || time > receivedMs + 3 * dayMs) return undefined;
  return { type, time, accountId, distinctId, properties, instantOf };
}

function idOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Repeats of `#uuid` for three hours, of `#first_check_id` per event for ever. */
function createClaims(): { claim(record: StandardRecord, receivedMs: number): boolean } {
  const uuids = new Map<unknown, number>();
  const first = new Set<string>();
  return {
    claim(record, receivedMs) {
      const uuid = record["#uuid"];
      const seen = uuid === undefined ? undefined : uuids.get(uuid);
      if (seen !== undefined && receivedMs - seen < 3 * hourMs) return false;
      if (uuid !== undefined) uuids.set(uuid, receivedMs);
      const check = record["#first_check_id"];
      if (check === undefined) return true;
      const key = `${record["#event_name"]} ${check}`;
      if (first.has(key)) return false;
      first.add(key);
      return true;
    },
  };
}

/** Keeps the values that an update lacks, except members of an object that it has, and ids of another user. */
function keepUpdatable(
  events: Map<string, ReferenceEvent>,
  key: string,
  type: string,
  event: ReferenceEvent,
  given: Readonly<Record<string, unknown>>,
): void {
  const old = type === "track_update" ? events.get(key) : undefined;
  const values = new Map(old?.values);
  const sameUser = old?.userId === event.userId ? old : undefined;
  removeObjects(values, given);
  events.set(key, {
    ...event,
    accountId: event.accountId ?? sameUser?.accountId,
    distinctId: event.distinctId ?? sameUser?.distinctId,
    values: new Map([...values, ...event.values]),
  });
}

/** An object takes the place of the whole one that was there. */
function removeObjects(values: Map<string, Value>, given: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(given)) {
    if (isObject(value)) remove(values, name.toLowerCase());
  }
}

function applyUserOperation(
  user: ReferenceUser,
  type: string,
  values: ReadonlyMap<string, Value>,
  given: Readonly<Record<string, unknown>>,
): void {
  const own = user.values;
  switch (type) {
    case "user_del":
      own.clear();
      return;
    case "user_unset":
      for (const name of Object.keys(given)) remove(own, name.toLowerCase());
      return;
    case "user_set":
      removeObjects(own, given);
  }
  for (const [name, value] of values) {
    const old = own.get(name);
    if (type === "user_setOnce" && old !== undefined) continue;
    own.set(name, combine(type, old, value));
  }
}

/** With its members. */
function remove(values: Map<string, Value>, name: string): void {
  for (const key of values.keys()) {
    if (key === name || key.startsWith(`${name}.`)) values.delete(key);
  }
}

function combine(type: string, old: Value | undefined, value: Value): Value {
  if (type === "user_add") return Number(old ?? 0) + Number(value);
  const list = (old ?? []) as readonly string[];
  if (type === "user_append") return [...list, ...(value as readonly string[])];
  if (type === "user_uniq_append") {
    return [...list, ...new Set((value as readonly string[]).filter((element) => !list.includes(element)))];
  }
  return value;
}

/** For tests that tell of an instant in ISO form. */
export function standardTime(instantMs: number): string {
  return `${formatSecond(instantMs)}.${String(instantMs % 1000).padStart(3, "0")}`;
}
