import type { KeyValue, UserScan, UserSelection, UserValues } from "../scan.ts";
import type { Property } from "../schema.ts";
import { narrow } from "./buckets.ts";
import { type Dialect, scalar } from "./dialect.ts";
import { equalsAny } from "./expression/comparison.ts";
import { compilePredicate } from "./expression/expression.ts";
import { propertyType } from "./expression/value.ts";
import type { CompiledKey } from "./keys.ts";
import { Parameters, type Statement } from "./parameters.ts";
import { compilePass, divideRange, type RangeDivision } from "./pass.ts";
import type { EventColumn, Relations, UserColumn, UsersWanted } from "./relations.ts";
import { canKeep } from "./shared-rows.ts";
import { type CompileContext, Source } from "./source.ts";

/**
 * Compiles a query for the users of a slice, in no order, with `userColumnsOf` and then a column per property.
 * Undefined when there can be none.
 */
export function compileUsers(
  users: UserScan,
  properties: UsersWanted["properties"],
  relations: Relations,
  dialect: Dialect,
): Statement | undefined {
  const { scan, bucket, group, limit } = users;
  const parameters = new Parameters(dialect);
  const context: CompileContext = { dialect, relations, parameters, zone: scan.zone };
  if (scan.measures.length === 0) return undefined;
  const narrowed = bucket === undefined ? scan : narrow(scan, bucket);
  if (narrowed === undefined) return undefined;
  const division: RangeDivision = divideRange(narrowed);
  const pass = compilePass(context, {
    scan: narrowed,
    division,
    measures: narrowed.measures,
    values: (source: Source) => [source.column("user_id")],
    needsBucket: false,
  });
  const matches = pass.keys.map((key, index) => keyEquals(key, group[index] ?? null, context));
  const where = matches.length === 0 ? "" : ` WHERE ${matches.join(" AND ")}`;
  const found = { columns: userColumnsOf(users), properties, ids: "SELECT user_id FROM s" };
  const [value] = pass.values;
  const rows = `${pass.rows} r${where}`;
  // Applied before the rows of users are read.
  const first = limit === undefined ? "" : ` ORDER BY user_id LIMIT ${Math.max(0, Math.trunc(limit))}`;
  const ids = `SELECT DISTINCT ${value} AS user_id FROM ${rows}${first}`;
  if (relations.usersOf !== undefined)
    return parameters.finish(`WITH s ${dialect.asShared(ids)} ${relations.usersOf(found)}`);
  if (!canKeep(narrowed, relations)) return parameters.finish(joinUsers(relations, found, ids));
  // Finding each id once takes half as long over kept ids as over the tables of 30 days.
  const kept = dialect.asShared(`SELECT ${value} AS user_id FROM ${rows}`);
  // The engine reads all users, not only those of the join, unless the ids have a condition. This one always holds.
  const ofKept = `SELECT DISTINCT user_id FROM kept WHERE user_id IS NOT NULL${first}`;
  return parameters.finish(`WITH kept ${kept} ${joinUsers(relations, found, ofKept)}`);
}

/** @param ids a SELECT of ids in `user_id`, each once */
function joinUsers(relations: Relations, wanted: UsersWanted, ids: string): string {
  const { properties } = wanted;
  const columns = [
    ...wanted.columns.map((column) => `${column === "user_id" ? "s" : "u"}.${column}`),
    ...properties.map((property) => `u.${relations.column(property)}`),
  ];
  return `SELECT ${columns.join(", ")} FROM (${ids}) s LEFT JOIN ${relations.users(wanted)} u ON u.user_id = s.user_id`;
}

function keyEquals({ name, of, mayOccur }: CompiledKey, value: KeyValue, context: CompileContext): string {
  const { parameters, relations } = context;
  if (value === null) return `${name} IS NULL`;
  switch (of) {
    case "event": {
      const event = typeof value === "string" ? relations.schema.events.get(value) : undefined;
      return event === undefined ? "false" : `${name} = ${event.number}`;
    }
    case "interval":
      return typeof value === "number" && Number.isSafeInteger(value) ? `${name} = ${value}` : "false";
    case "integer":
      return typeof value === "number" && Number.isSafeInteger(value)
        ? `${name} = ${parameters.bind(of, value)}`
        : "false";
    case "number":
    case "boolean":
      return typeof value === of ? `${name} = ${parameters.bind(of, value)}` : "false";
    case "text":
      if (typeof value !== "string") return "false";
      return equalsAny({ sql: name, type: scalar(of), mayOccur }, [value], context);
  }
}

const userColumns = ["user_id", "account_id", "distinct_id"] as const satisfies readonly UserColumn[];

/** Returns the columns of the ids of users: `user_id`, and the others that are wanted. */
export function userColumnsOf({ ids }: UserValues): readonly UserColumn[] {
  return userColumns.filter((column) => column === "user_id" || (ids?.includes(column) ?? true));
}

const isUserColumn = (column: EventColumn): column is UserColumn =>
  (userColumns as readonly EventColumn[]).includes(column);

/**
 * Compiles a query for the users for whom a condition holds, in no order, with `userColumnsOf` and then a column per
 * property.
 */
export function compileSelection(
  selection: UserSelection,
  properties: UsersWanted["properties"],
  relations: Relations,
  dialect: Dialect,
): Statement {
  const parameters = new Parameters(dialect);
  const source = new UserSource({ dialect, relations, parameters, zone: [] });
  const condition = compilePredicate(selection.where, source);
  parameters.count(condition);
  const columns = [
    ...userColumnsOf(selection).map((column) => source.column(column)),
    ...properties.map((property) => source.property(property)),
  ];
  const sql = `SELECT ${columns.join(", ")} FROM ${source.users()} WHERE ${condition}`;
  return parameters.finish(sql);
}

/** The source of a query on users alone, in which values of events are null. */
export class UserSource extends Source {
  readonly #properties = new Map<number, Property>();

  override property(property: Property): string {
    const { relations, dialect } = this.context;
    if (property.table === "event") return dialect.cast("NULL", propertyType(property));
    this.#properties.set(property.number, property);
    return `u.${relations.column(property)}`;
  }

  override column(column: EventColumn): string {
    if (isUserColumn(column)) return `u.${column}`;
    return this.context.dialect.cast("NULL", scalar(column === "event" ? "event" : "integer"));
  }

  /** Returns the FROM clause. */
  users(): string {
    const wanted = { columns: userColumns, properties: [...this.#properties.values()] };
    return `${this.context.relations.users(wanted)} u${this.joins()}`;
  }
}
