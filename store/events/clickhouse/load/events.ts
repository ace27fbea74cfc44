import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import type { DayRows, ProjectRows, ShardRows } from "../../load.ts";
import type { Property } from "../../schema.ts";
import { eventColumns, eventsTable, propertyColumn, propertyType } from "../layout.ts";
import { divideLines } from "./divide-lines.ts";
import { insertSettings, type Target } from "./target.ts";

/** The columns of events by their keys in lines and their names in Parquet files. */
const keys = {
  e: "event",
  t: "time_ms",
  r: "received_ms",
  u: "user_id",
  a: "account_id",
  d: "distinct_id",
} as const satisfies Record<string, keyof typeof eventColumns>;

/** Bytes of a file that are sent at once. */
const pieceBytes = 262_144;

/** Inserts the events of a batch into the table of their project. The files are sent as they are. */
export async function loadEvents(target: Target, { days, shards }: ProjectRows): Promise<void> {
  if (days !== undefined) await insertDays(target, days);
  if (shards !== undefined) await insertShards(target, shards);
}

async function insertDays(target: Target, days: readonly DayRows[]): Promise<void> {
  if (days.some(({ format }) => format === "columns"))
    throw new TypeError("columns of events must be of one shard each");
  const used = new Set(days.flatMap(({ properties }) => properties));
  await insertEvents(target, used, bytesOf(days.map(({ file }) => file)));
}

async function insertShards(target: Target, shards: readonly ShardRows[]): Promise<void> {
  const { connection, signal } = target;
  const foreign = shards.find(({ shard }) => shard >= connection.shardCount);
  if (foreign !== undefined)
    throw new RangeError(
      `events of shard ${foreign.shard} are for more shards than ${connection.shardCount}`,
    );
  await connection.onEach(async (shard, ended) => {
    const rows = shards.find((one) => one.shard === shard);
    if (rows === undefined) return;
    const sql = insertText(target, new Set(rows.properties), columnsFormat);
    await using file = await open(rows.file);
    const values = file.createReadStream({ highWaterMark: pieceBytes, autoClose: false });
    // The insert reports it, unless it has ended before.
    values.on("error", () => {});
    try {
      await connection.insert(shard, { sql, settings: insertSettings, signal: ended }, values);
    } finally {
      values.destroy();
    }
  }, signal);
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
  const { connection, signal } = target;
  const sql = insertText(target, used, linesFormat);
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

/** How the values of properties are named and selected in what is inserted. */
interface RowFormat {
  /** The end of the statement. */
  readonly clause: string;
  readonly nameOf: (property: Property) => string;
  readonly selectOf: (property: Property) => string;
}

const linesFormat: RowFormat = {
  clause: "SETTINGS input_format_import_nested_json = 1 FORMAT JSONEachRow",
  /** The member of `p` as a column of the lines. */
  nameOf: ({ number }) => `\`p.${number}\``,
  /** Adding 0 makes a negative zero a zero: the engine takes them for different values. */
  selectOf(property) {
    const name = linesFormat.nameOf(property);
    if (property.type !== "number") return name;
    return property.group === undefined ? `${name} + 0` : `arrayMap(x -> x + 0, ${name})`;
  },
};

const columnsFormat: RowFormat = {
  clause: "FORMAT Parquet",
  // A column named by its number would have the name of a constant.
  nameOf: propertyColumn,
  selectOf: propertyColumn,
};

/** @param used the numbers of the properties to insert */
function insertText(
  { projectId, batch, schema }: Target,
  used: ReadonlySet<number>,
  { clause, nameOf, selectOf }: RowFormat,
): string {
  const properties = [...schema.properties.values()].filter(({ number }) => used.has(number));
  const columns = [...Object.values(keys), "batch", ...properties.map(propertyColumn)];
  const values = [...Object.keys(keys), String(batch), ...properties.map(selectOf)];
  const given = [
    ...Object.entries(keys).map(([key, column]) => `${key} ${eventColumns[column]}`),
    ...properties.map((property) => `${nameOf(property)} ${propertyType(property)}`),
  ];
  return `INSERT INTO ${eventsTable(projectId)} (${columns.join(", ")})
    SELECT ${values.join(", ")} FROM input('${given.join(", ")}') ${clause}`;
}

async function* bytesOf(files: readonly string[]): AsyncGenerator<Buffer, void> {
  for (const file of files) yield* createReadStream(file) as AsyncIterable<Buffer>;
}
