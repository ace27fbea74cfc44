import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { databaseFile } from "../../store/events/duckdb/database.ts";
import { openDuckDbStore } from "../../store/events/duckdb/duckdb.ts";
import {
  dayTableName,
  propertyColumn,
  propertySqlType,
  usersTableName,
  visitorsTableName,
} from "../../store/events/duckdb/layout.ts";
import type { Property } from "../../store/events/events.ts";
import {
  dayMs,
  days,
  eventShares,
  events,
  eventValues,
  firstDayMs,
  firstUser,
  projectId,
  properties,
  storeOptions,
  users,
  userValues,
} from "./data.ts";

const all: readonly Property[] = Object.values(properties);
const eventProperties = all.filter(({ table }) => table === "event");
const userProperties = all.filter(({ table }) => table === "user");

/**
 * Makes a store with `count` events in its own layout, and beside it the peer: the same events in one table with typed
 * columns, sorted by event and time. Returns the number of events.
 */
export async function generate(folder: string, count: number): Promise<number> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(storeOptions(folder).stagingFolder, { recursive: true });
  await makeEmptyStore(folder);
  const instance = await DuckDBInstance.create(databaseFile(storeOptions(folder).folder), { threads: "2" });
  const connection = await instance.connect();
  await connection.run("SELECT setseed(0.4)");
  await fillUsers(connection);
  const perDay = Math.floor(count / days);
  for (let day = 0; day < days; day++) await fillDay(connection, day, perDay);
  await makePeer(connection);
  // A server would report the spool of the first events as missing.
  await connection.run("DELETE FROM position");
  await connection.run("CHECKPOINT");
  connection.closeSync();
  instance.closeSync();
  return perDay * days;
}

/** Loads one event a day, so that the store makes all tables. */
async function makeEmptyStore(folder: string): Promise<void> {
  const { stagingFolder } = storeOptions(folder);
  const [seenFile, usersFile] = ["seen", "users"].map((name) => join(stagingFolder, name)) as [
    string,
    string,
  ];
  const samples: Readonly<Record<Property["type"], unknown>> = {
    number: 1,
    text: "x",
    boolean: true,
    list: ["x"],
    time: 1,
    object: "{}",
    object_group: "[]",
  };
  const valuesOf = (list: readonly Property[]) =>
    Object.fromEntries(list.map(({ number, type }) => [number, samples[type]]));
  const daysRows = Array.from({ length: days }, (_, at) => {
    const [file, t] = [join(stagingFolder, `day${at}`), firstDayMs + at * dayMs];
    const line = { e: 1, t, r: t, u: 1, a: "x", d: "x", p: valuesOf(eventProperties) };
    writeFileSync(file, `${JSON.stringify(line)}\n`);
    const numbers = eventProperties.map(({ number }) => number);
    return { day: Math.floor(t / dayMs), file, events: 1, properties: numbers };
  });
  writeFileSync(seenFile, `${JSON.stringify({ u: 1, a: "x", d: "x" })}\n`);
  writeFileSync(usersFile, `${JSON.stringify({ u: 1, o: "set", p: valuesOf(userProperties) })}\n`);
  await using store = await openDuckDbStore({ ...storeOptions(folder), maxQueries: 1, maxWaiting: 1 });
  await store.load({
    from: { number: 0, offset: 0 },
    to: { number: 0, offset: 1 },
    projects: [
      {
        projectId,
        newEvents: events,
        newProperties: all,
        days: daysRows,
        seenFile,
        usersFile,
        counts: { events: days, updates: 0, seen: 1, users: 1 },
      },
    ],
  });
}

async function fillUsers(connection: DuckDBConnection): Promise<void> {
  const table = usersTableName(projectId);
  const values = userProperties.map((one) => `(${userValues[one.name]})::${propertySqlType(one)}`);
  const columns = ["user_id", "account_id", "distinct_id", ...userProperties.map(propertyColumn)];
  await connection.run(`DELETE FROM ${table}`);
  await connection.run(
    `INSERT INTO ${table} (${columns.join(", ")})
     SELECT ${firstUser} + n, 'account_' || n, 'visitor_' || n, ${values.join(", ")} FROM range(${users}) r(n)`,
  );
  const visitors = visitorsTableName(projectId);
  await connection.run(`DELETE FROM ${visitors}`);
  await connection.run(`INSERT INTO ${visitors} SELECT distinct_id, user_id FROM ${table}`);
}

async function fillDay(connection: DuckDBConnection, day: number, count: number): Promise<void> {
  const dayNumber = firstDayMs / dayMs + day;
  const table = dayTableName(projectId, dayNumber, 0);
  const branches = eventShares.map((_, index) => `WHEN x < ${cumulated(index)} THEN ${index + 1}`);
  const columns = [
    "event",
    "time_ms",
    "received_ms",
    "user_id",
    "account_id",
    "distinct_id",
    ...eventProperties.map(propertyColumn),
  ];
  const values = eventProperties.map((one) => `(${eventValues[one.name]})::${propertySqlType(one)}`);
  await connection.run(`DELETE FROM ${table}`);
  await connection.run(
    `INSERT INTO ${table} (${columns.join(", ")})
     SELECT e, t, t + 1500, ${firstUser} + n, CASE WHEN n % 3 > 0 THEN 'account_' || n END, 'visitor_' || n, ${values.join(", ")}
     FROM (
       SELECT CASE ${branches.join(" ")} ELSE ${events.length} END AS e,
         ${firstDayMs + day * dayMs} + floor(y * ${dayMs})::BIGINT AS t, floor(pow(z, 1.5) * ${users})::BIGINT AS n, a, b, c, d
       FROM (
         SELECT random() AS x, random() AS y, random() AS z, random() AS a, random() AS b, random() AS c, random() AS d
         FROM range(${count})
       )
     ) ORDER BY e, t`,
  );
  await connection.run(
    `UPDATE days SET events = ${count}, sorted = true WHERE project = ${projectId} AND day = ${dayNumber}`,
  );
}

function cumulated(index: number): number {
  return eventShares.slice(0, index + 1).reduce((sum, [, share]) => sum + share, 0);
}

/** Makes the table that one would write by hand: names for events, timestamps for times. */
async function makePeer(connection: DuckDBConnection): Promise<void> {
  const names = events.map(({ name }) => `'${name}'`).join(", ");
  const columns = eventProperties.map((one) => {
    const column = propertyColumn(one);
    return one.type === "time"
      ? `make_timestamp(${column} * 1000) AS ${one.name}`
      : `${column} AS ${one.name}`;
  });
  const branches = Array.from({ length: days }, (_, day) => {
    const table = dayTableName(projectId, firstDayMs / dayMs + day, 0);
    return `SELECT ([${names}])[event] AS event, make_timestamp(time_ms * 1000) AS time, user_id, account_id, distinct_id, ${columns.join(", ")} FROM ${table}`;
  });
  await connection.run(
    `CREATE TABLE peer AS SELECT * FROM (${branches.join(" UNION ALL ")}) ORDER BY event, time`,
  );
}
