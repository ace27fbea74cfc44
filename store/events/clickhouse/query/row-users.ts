import type { StoredUser, UserValues } from "../../scan.ts";
import type { Property } from "../../schema.ts";
import type { UserColumn } from "../../sql/relations.ts";
import { userColumnsOf } from "../../sql/users.ts";
import { decodeScalar } from "../../stored-users.ts";
import type { UserChunk, UserVisitor } from "../../user-chunk.ts";
import { hasLists } from "./relations.ts";

/** The number of a user as text, the other wanted ids, the values of properties, and the numbers of empty lists. */
export type UserRow = readonly unknown[];

/** Where rows have the values of users. */
export interface UserRowColumns {
  /** Undefined for an unwanted id. */
  readonly accountId: number | undefined;
  readonly distinctId: number | undefined;
  readonly properties: readonly Property[];
  readonly firstProperty: number;
  /** Whether rows end with the numbers of empty lists. */
  readonly mayBeEmpty: boolean;
}

export function rowColumnsOf(wanted: UserValues, properties: readonly Property[]): UserRowColumns {
  const ids = userColumnsOf(wanted);
  const index = (id: UserColumn): number | undefined => (ids.includes(id) ? ids.indexOf(id) : undefined);
  return {
    accountId: index("account_id"),
    distinctId: index("distinct_id"),
    properties,
    firstProperty: ids.length,
    mayBeEmpty: hasLists(properties),
  };
}

/** Integers of at most this many digits are exact as doubles. */
const exactDigits = 15;

export function userIdOf(row: UserRow): bigint {
  const id = row[0] as string;
  // Numbers take a third of the time of texts.
  return BigInt(id.length <= exactDigits ? Number(id) : id);
}

/** The users of some rows. */
export class RowUsers implements UserChunk {
  readonly length: number;
  readonly #rows: readonly UserRow[];
  readonly #columns: UserRowColumns;

  constructor(rows: readonly UserRow[], columns: UserRowColumns) {
    this.length = rows.length;
    this.#rows = rows;
    this.#columns = columns;
  }

  *[Symbol.iterator](): Iterator<StoredUser> {
    const { accountId, distinctId } = this.#columns;
    for (const row of this.#rows) {
      // No name begins with an underscore, so none sets the prototype.
      const properties: Record<string, unknown> = {};
      this.#eachProperty(row, (name, value) => {
        properties[name] = value;
      });
      yield {
        userId: userIdOf(row),
        accountId: textAt(row, accountId),
        distinctId: textAt(row, distinctId),
        properties,
      };
    }
  }

  visit(visitor: UserVisitor, count: number): void {
    const { accountId, distinctId } = this.#columns;
    const add = (name: string, value: unknown): void => visitor.property(name, value);
    const end = Math.min(count, this.length);
    for (let at = 0; at < end; at++) {
      const row = this.#rows[at]!;
      visitor.user(userIdOf(row), textAt(row, accountId), textAt(row, distinctId));
      this.#eachProperty(row, add);
    }
  }

  #eachProperty(row: UserRow, add: (name: string, value: unknown) => void): void {
    const { properties, firstProperty, mayBeEmpty } = this.#columns;
    const emptyLists = mayBeEmpty ? (row.at(-1) as readonly number[]) : [];
    let index = firstProperty;
    for (const property of properties) {
      const value = decodeValue(row[index++], property);
      if (value !== null) add(property.name, value);
      else if (mayBeEmpty && emptyLists.includes(property.number)) add(property.name, []);
    }
  }
}

const textAt = (row: UserRow, index: number | undefined): string | null =>
  index === undefined ? null : (row[index] as string | null);

/** Returns null for an empty list. */
function decodeValue(value: unknown, { type, group }: Property): unknown {
  if (!Array.isArray(value)) return value === null || value === undefined ? null : decodeScalar(value, type);
  if (value.length === 0) return null;
  return type === "list" && group === undefined ? value : value.map((one) => decodeScalar(one, type));
}
