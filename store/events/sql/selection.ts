import type { Property } from "../schema.ts";
import type { UserSelection } from "../selection.ts";
import { type Dialect, scalar } from "./dialect.ts";
import { compilePredicate } from "./expression/expression.ts";
import { propertyType } from "./expression/value.ts";
import { Parameters, type Statement } from "./parameters.ts";
import type { EventColumn, Relations, UserColumn, UsersWanted } from "./relations.ts";
import { Source } from "./source.ts";

const userColumns = ["user_id", "account_id", "distinct_id"] as const satisfies readonly UserColumn[];
const isUserColumn = (column: EventColumn): column is UserColumn =>
  (userColumns as readonly EventColumn[]).includes(column);

/** Users that a condition holds for, in no order: `user_id`, `account_id`, `distinct_id`, then a column per property. */
export function compileSelection(
  { where }: UserSelection,
  properties: UsersWanted["properties"],
  relations: Relations,
  dialect: Dialect,
): Statement {
  const parameters = new Parameters(dialect);
  const source = new UserSource({ dialect, relations, parameters, zone: [] });
  const condition = compilePredicate(where, source);
  parameters.count(condition);
  const columns = [
    ...userColumns.map((column) => source.column(column)),
    ...properties.map((property) => source.property(property)),
  ];
  const sql = `SELECT ${columns.join(", ")} FROM ${source.users()} WHERE ${condition}`;
  return parameters.finish(sql);
}

/** Users alone: what expressions say of events has no value. */
class UserSource extends Source {
  readonly #properties = new Map<number, Property>();

  override property(property: Property): string {
    const { relations, dialect } = this.surroundings;
    if (property.table === "event") return dialect.cast("NULL", propertyType(property));
    this.#properties.set(property.number, property);
    return `u.${relations.column(property)}`;
  }

  override column(column: EventColumn): string {
    if (isUserColumn(column)) return `u.${column}`;
    return this.surroundings.dialect.cast("NULL", scalar(column === "event" ? "event" : "integer"));
  }

  /** The FROM clause. */
  users(): string {
    const wanted = { columns: userColumns, properties: [...this.#properties.values()] };
    return `${this.surroundings.relations.users(wanted)} u${this.joins()}`;
  }
}
