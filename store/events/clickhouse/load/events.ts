import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import type { DayRows } from "../../load.ts";
import type { Property } from "../../schema.ts";
import { eventColumns, eventsTable, propertyColumn, propertyType } from "../layout.ts";
import { divideLines } from "./divide-lines.ts";
import { insertSettings, type Target } from "./target.ts";

/** The columns of the lines of events, by their keys. */
const keys = {
  e: "event",
  t: "time_ms",
  r: "received_ms",
  u: "user_id",
  a: "account_id",
  d: "distinct_id",
} as const satisfies Record<string, keyof typeof eventColumns>;

/**
 * Inserts the events of a batch into the table of their project. The files are sent as they are, and the
 * server converts their lines to columns.
 */
export async function loadEvents(target: Target, days: readonly DayRows[]): Promise<void> {
  const used = new Set(days.flatMap(({ properties }) => properties));
  await insertEvents(target, used, bytesOf(days.map(({ file }) => file)));
}

/**
 * Inserts lines of events.
 * @param used the numbers of the properties that they may have
 */
export async function insertEvents(
  target: Target,
  used: ReadonlySet<number>,
  bytes: AsyncIterable<Buffer>,
): Promise<void> {
  const { connection, schema, signal } = target;
  const properties = [...schema.properties.values()].filter(({ number }) => used.has(number));
  const sql = insertText(target, properties);
  const insert = (shard: number, values: Readable, ended: AbortSignal) =>
    connection.insert(shard, { sql, settings: insertSettings, signal: ended }, values);
  if (connection.shardCount === 1) {
    await insert(0, Readable.from(bytes, { objectMode: false }), signal);
    return;
  }
  const divided = divideLines(bytes, connection.shardCount);
  try {
    await connection.onEach((shard, ended) => insert(shard, divided[shard]!, ended), signal);
  } finally {
    for (const part of divided) part.destroy();
  }
}

function insertText({ projectId, batch }: Target, properties: readonly Property[]): string {
  const columns = [...Object.values(keys), "batch", ...properties.map(propertyColumn)];
  const values = [...Object.keys(keys), String(batch), ...properties.map(valueText)];
  const given = [
    ...Object.entries(keys).map(([key, column]) => `${key} ${eventColumns[column]}`),
    ...properties.map((property) => `${nameOf(property)} ${propertyType(property)}`),
  ];
  return `INSERT INTO ${eventsTable(projectId)} (${columns.join(", ")})
    SELECT ${values.join(", ")} FROM input('${given.join(", ")}')
    SETTINGS input_format_import_nested_json = 1 FORMAT JSONEachRow`;
}

/** The member of `p` as a column of the lines. */
const nameOf = ({ number }: Property): string => `\`p.${number}\``;

/** Adding 0 makes a negative zero a zero: the engine takes them for different values. */
function valueText(property: Property): string {
  const { type, group } = property;
  const name = nameOf(property);
  if (type !== "number") return name;
  return group === undefined ? `${name} + 0` : `arrayMap(x -> x + 0, ${name})`;
}

async function* bytesOf(files: readonly string[]): AsyncGenerator<Buffer, void> {
  for (const file of files) yield* createReadStream(file) as AsyncIterable<Buffer>;
}
