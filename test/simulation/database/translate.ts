import { onRelations } from "./relations.ts";

/** How strongly a statement locks the rows it returns. */
export type RowLock = "keyShare" | "noKeyUpdate" | "update";

/** One statement of SQLite, with the places of its parameters among those of the original statement. */
export interface Step {
  readonly sql: string;
  /** 0-based. */
  readonly params: readonly number[];
  /** Whether it changes rows. */
  readonly isChange: boolean;
  /** The name by which later steps read the rows of this one; undefined for the last step. */
  readonly name: string | undefined;
}

/** A statement of PostgreSQL as SQLite can run it: one step for each part of a WITH that changes data. */
export interface Translated {
  readonly steps: readonly Step[];
  /** Whether it may change rows. */
  readonly isChange: boolean;
  readonly locks: LockedRows | undefined;
  /** The created table that it uses, which must exist. */
  readonly relation: string | undefined;
}

/** The table and the mode of the rows which a statement locks. */
export interface LockedRows {
  readonly table: string;
  readonly mode: RowLock;
  /** The statement which skips locked rows, when it has to. */
  readonly skipping: Step | undefined;
}

/** The primary keys of the tables, by name. */
export type Keys = ReadonlyMap<string, readonly string[]>;

const replacements: readonly (readonly [RegExp, string])[] = [
  [/"\w+"\./g, ""],
  [/::(?:bigint|integer|smallint|json|bytea|text)\b(?:\[\])?/g, ""],
  [/\bOVERRIDING SYSTEM VALUE\b/g, ""],
  [/\bGREATEST\(/g, "max("],
  [/\bjson_array_elements_text\(/g, "json_each("],
  [/\bjson_agg\(/g, "json_group_array("],
  [/\bjson_build_array\(/g, "json_array("],
  [/\bjson_build_object\(/g, "json_object("],
  [/\bbigint\[\]/g, "text"],
  [/EXTRACT\(EPOCH FROM clock_timestamp\(\)\) \* 1000000/g, "clock_us()"],
  [/\bhashtextextended\((\$\d+), 0\)/g, "$1"],
  [/\bsubstring\((\w+)\s+FROM ([\s\S]*?) FOR ([\s\S]*?)\) AS/g, "substr($1, $2, $3) AS"],
  [/FROM pg_settings WHERE [\s\S]*$/, "WHERE 1"],
  [
    /json_to_recordset\((\$\d+)\) AS (\w+)\(target text, indexes text, count integer\)/g,
    "(SELECT value ->> 'target' AS target, value ->> 'indexes' AS indexes, value ->> 'count' AS count FROM json_each($1)) AS $2",
  ],
  [/^SELECT set_config\([\s\S]*$/, "SELECT 1"],
  [
    /generate_series\(1, (\$\d+)\) AS (\w+) \((\w+)\)/g,
    "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < $1) SELECT n AS $3 FROM s) AS $2",
  ],
  [/\bsubstring\((\$\d+) FROM ([^()]*?) FOR ([^()]*?)\)/g, "substr($1, $2, $3)"],
  [
    /^DELETE FROM (\w+) (\w+) USING (\w+ \w+)\s+WHERE ([\s\S]*)$/,
    "DELETE FROM $1 AS $2 WHERE EXISTS (SELECT 1 FROM $3 WHERE $4)",
  ],
  [/^UPDATE (\w+) (?!SET\b|AS\b)(\w+) SET/, "UPDATE $1 AS $2 SET"],
  [/RETURNING p\./g, "RETURNING "],
];

const lockClause = /\s+FOR (UPDATE|KEY SHARE)(?: OF (\w+))?( SKIP LOCKED)?\s*$/;

/** Translates the subset of SQL which the operations of the stores use. */
export function translate(text: string, keys: Keys): Translated {
  let sql = text.trim();
  for (const [pattern, replacement] of replacements) sql = sql.replace(pattern, replacement);
  const { statements, relation } = onRelations(withArrays(sql));
  const [statement = "", ...others] = statements;
  const { steps, locks } =
    others.length === 0
      ? withLocks(statement, keys)
      : { steps: statements.map((one) => stepOf(one, undefined)), locks: undefined };
  return { steps, isChange: steps.some(({ isChange }) => isChange), locks, relation };
}

/** Replaces `unnest` of arrays, which are texts such as `{1,2}`, by rows. */
function withArrays(sql: string): string {
  return sql.replaceAll(
    /\bunnest\(([^)]*)\)( WITH ORDINALITY)? AS (\w+) \(([^)]*)\)(\s+ON CONFLICT)?/g,
    (_whole, arrays: string, ordinality: string | undefined, alias: string, names: string, conflict = "") => {
      const sources = arrays
        .split(", ")
        .map((array, at) => `json_each(replace(replace(${array}, '{', '['), '}', ']')) a${at}`);
      const columns = names.split(", ").map((name, at, { length }) => {
        const isPosition = ordinality !== undefined && at === length - 1;
        return isPosition ? `a0.key + 1 AS ${name}` : `a${at}.value AS ${name}`;
      });
      const isSame = sources.map((_source, at) => `a${at}.key = a0.key`).join(" AND ");
      const rows = `(SELECT ${columns.join(", ")} FROM ${sources.join(", ")} WHERE ${isSame}) AS ${alias}`;
      // Without a condition the conflict would be taken for one of a join.
      return conflict === "" ? rows : `${rows} WHERE true${conflict}`;
    },
  );
}

function withLocks(sql: string, keys: Keys): Pick<Translated, "steps" | "locks"> {
  const found = lockClause.exec(sql);
  if (found === null) return { steps: stepsOf(sql), locks: undefined };
  const [clause, mode, , skips] = found;
  const body = sql.slice(0, -clause.length);
  const [, table = "", alias = table] = /\bFROM (\w+)(?: (?!WHERE|ORDER|LEFT|JOIN)(\w+))?/.exec(body) ?? [];
  const columns = keys.get(table);
  if (columns === undefined) throw new Error(`the model does not know which rows this locks: ${sql}`);
  const key = keyText(columns, alias);
  const free = `FROM (SELECT * FROM ${table} WHERE is_free('${table}', ${keyText(columns, table)})) ${alias} `;
  const withKey = (text: string) =>
    stepOf(text.replace(/^SELECT /, `SELECT ${key} AS lock_key, `), undefined);
  const skipping =
    skips === undefined ? undefined : withKey(body.replace(new RegExp(`\\bFROM ${table} ${alias}\\s`), free));
  const locks: LockedRows = { table, mode: mode === "UPDATE" ? "update" : "keyShare", skipping };
  return { steps: [withKey(body)], locks };
}

/** The SQL of the text which identifies a row in the locks of its table. */
export function keyText(columns: readonly string[], alias: string): string {
  return columns.map((column) => `quote(${alias}.${column})`).join(" || ',' || ");
}

/** Divides a WITH that changes data into its parts, whose rows become the values of later parts. */
function stepsOf(sql: string): readonly Step[] {
  const parts = partsOf(sql);
  if (!parts.some(({ text }) => /^\s*(?:INSERT|UPDATE|DELETE)\b|nextval/.test(text)) || parts.length === 1) {
    return [stepOf(sql, undefined)];
  }
  return parts.map(({ name, text }) => stepOf(text, name));
}

interface Part {
  readonly name: string | undefined;
  readonly text: string;
}

function partsOf(sql: string): readonly Part[] {
  const parts: Part[] = [];
  let at = /^WITH\s+/.exec(sql)?.[0].length;
  if (at === undefined) return [{ name: undefined, text: sql }];
  for (;;) {
    const head = /^(\w+) AS \(/.exec(sql.slice(at))!;
    const start: number = at + head[0].length;
    const end = closingOf(sql, start);
    parts.push({ name: head[1], text: sql.slice(start, end).trim() });
    const next = /^\)\s*(,?)\s*/.exec(sql.slice(end))!;
    at = end + next[0].length;
    if (next[1] === "") break;
  }
  return [...parts, { name: undefined, text: sql.slice(at) }];
}

function closingOf(sql: string, start: number): number {
  let depth = 1;
  for (let at = start; at < sql.length; at++) {
    if (sql[at] === "(") depth++;
    if (sql[at] === ")") depth--;
    if (depth === 0) return at;
  }
  throw new Error(`the model does not understand: ${sql}`);
}

/** Numbers the parameters which the text uses from 1 on. */
function stepOf(text: string, name: string | undefined): Step {
  const params: number[] = [];
  const sql = text.replaceAll(/\$(\d+)/g, (_whole, digits: string) => {
    const place = Number(digits) - 1;
    if (!params.includes(place)) params.push(place);
    return `?${params.indexOf(place) + 1}`;
  });
  return { sql, params, name, isChange: /\b(?:INSERT|UPDATE|DELETE)\b/.test(sql) };
}
