import { DuckDBListValue } from "@duckdb/node-api";
import type { StoredUser } from "../../scan.ts";
import type { Property } from "../../schema.ts";
import { decodeScalar } from "../../stored-users.ts";
import type { UserChunk, UserVisitor } from "../../user-chunk.ts";
import type { PackedRow } from "./packed-texts.ts";

/** Types which are stored as text. */
export const textTypes: ReadonlySet<Property["type"]> = new Set(["text", "object", "object_group"]);

/** The indexes of the columns of users. The ids other than `userId` are packed texts, undefined where unwanted. */
export interface UserColumns {
  readonly userId: number;
  readonly accountId: number | undefined;
  readonly distinctId: number | undefined;
  readonly properties: readonly { readonly property: Property; readonly index: number }[];
}

/** The users of some rows of a result, which stays in memory. */
export class PackedUsers implements UserChunk {
  readonly length: number;
  readonly #rows: PackedRow;
  readonly #columns: UserColumns;
  readonly #first: number;

  constructor(rows: PackedRow, columns: UserColumns, first: number, end: number) {
    this.length = end - first;
    this.#rows = rows;
    this.#columns = columns;
    this.#first = first;
  }

  [Symbol.iterator](): Iterator<StoredUser> {
    const users = Array.from({ length: this.length }, (_, at) => this.#decode(this.#first + at));
    return users[Symbol.iterator]();
  }

  visit(visitor: UserVisitor, count: number): void {
    const rows = this.#rows;
    const { userId, accountId, distinctId, properties } = this.#columns;
    const end = this.#first + Math.min(count, this.length);
    for (let row = this.#first; row < end; row++) {
      rows.moveTo(row);
      visitor.user(
        rows.value(userId) as bigint,
        accountId === undefined ? null : rows.utf8(accountId),
        distinctId === undefined ? null : rows.utf8(distinctId),
      );
      for (const { property, index } of properties) {
        const isText = property.type === "text" && rows.isText(index);
        const value = isText ? rows.utf8(index) : decodeValue(rows.value(index), property);
        if (value !== null) visitor.property(property.name, value);
      }
    }
  }

  #decode(row: number): StoredUser {
    const rows = this.#rows;
    const { userId, accountId, distinctId, properties } = this.#columns;
    rows.moveTo(row);
    // No name begins with an underscore, so none sets the prototype.
    const values: Record<string, unknown> = {};
    for (const { property, index } of properties) {
      const value = decodeValue(rows.value(index), property);
      if (value !== null) values[property.name] = value;
    }
    return {
      userId: rows.value(userId) as bigint,
      accountId: accountId === undefined ? null : (rows.value(accountId) as string | null),
      distinctId: distinctId === undefined ? null : (rows.value(distinctId) as string | null),
      properties: values,
    };
  }
}

/** Converts a stored value for the API: times to text, objects to objects. */
function decodeValue(value: unknown, { type, group }: Property): unknown {
  if (value instanceof DuckDBListValue) {
    return type === "list" && group === undefined
      ? value.items
      : value.items.map((one) => decodeScalar(one, type));
  }
  return decodeScalar(value, type);
}
