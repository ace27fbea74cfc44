import type { ClientBase } from "pg";
import type { Dialect, Operation, Query, Row } from "../query.ts";
import { selectBinary } from "./copy/binary-select.ts";
import { inSchema, type PostgresStore } from "./store.ts";

/** Rows of one INSERT. PostgreSQL allows 65,535 parameters, and no insert here has more than 17 columns. */
const maxInserted = 1_000;

export const postgresDialect: Dialect = {
  forUpdate: "FOR UPDATE",
  skipLocked: (name) => `FOR UPDATE OF ${name} SKIP LOCKED`,
  integersOf: (param) => `(SELECT value::bigint FROM json_array_elements_text(${param}::json))`,
  containsBytes: (column, param) => `position(${param}::bytea in ${column}) > 0`,
  containsText: (column, param) => `strpos(${column}, ${param}) > 0`,
  compressesLarge: false,
  storesDigests: true,
  lockName: "SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))",
};

/** Runs operations in one schema, with statements that each connection prepares once. */
export class Runner {
  readonly #store: PostgresStore;
  readonly #schema: string;
  readonly #names = new Map<string, { readonly name: string; readonly text: string }>();

  constructor(store: PostgresStore, schema: string) {
    this.#store = store;
    this.#schema = schema;
  }

  /**
   * Runs an operation in a transaction. After an error the transaction is rolled back, or the
   * connection is broken.
   */
  async transact<T>(client: ClientBase, operation: Operation<T>, isUnsynced = false): Promise<T> {
    await client.query(isUnsynced ? "BEGIN; SET LOCAL synchronous_commit TO off" : "BEGIN");
    try {
      let step = operation.next([]);
      while (step.done !== true) step = operation.next(await this.#query(client, step.value));
      await client.query("COMMIT");
      return step.value;
    } catch (error) {
      // The first error is the one to report, not that the rollback fails on a lost connection.
      await client.query("ROLLBACK").catch(() => {});
      throw error;
    }
  }

  /** Runs an operation of one statement, which is a transaction of its own. */
  async runSingle<T>(client: ClientBase, operation: Operation<T>): Promise<T> {
    let step = operation.next([]);
    if (step.done !== true) step = operation.next(await this.#query(client, step.value));
    if (step.done === true) return step.value;
    throw new TypeError("an operation of a single statement yields another one");
  }

  /** Runs one statement, which is a transaction of its own. */
  async query<T extends Row>(client: ClientBase, sql: string, params: readonly unknown[]): Promise<T[]> {
    const { rows } = await client.query<T>({ ...this.#prepared(sql), values: [...params] });
    return rows;
  }

  async #query(
    client: ClientBase,
    { sql, params, insert, numbered, isUnique, binary }: Query,
  ): Promise<readonly Row[]> {
    if (binary !== undefined)
      return await selectBinary(client, inSchema(this.#store, sql, this.#schema), params, binary);
    if (isUnique === true) {
      return (await client.query<Row>(inSchema(this.#store, sql, this.#schema), [...params])).rows;
    }
    if (numbered !== undefined) {
      return await this.query(client, `${sql} RETURNING ${numbered} AS number`, params);
    }
    if (insert === undefined) return await this.query(client, sql, params);
    for (let at = 0; at < insert.length; at += maxInserted) {
      const rows = insert.slice(at, at + maxInserted);
      const width = rows[0]!.length;
      const places = rows.map((row, i) => `(${row.map((_value, j) => `$${i * width + j + 1}`).join(", ")})`);
      // The statement is not prepared by name: each number of rows would make one more statement.
      const text = inSchema(this.#store, `${sql} VALUES ${places.join(", ")}`, this.#schema);
      await client.query(text, rows.flat());
    }
    return [];
  }

  #prepared(sql: string): { readonly name: string; readonly text: string } {
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    const statement = {
      name: `engage_${this.#names.size}`,
      text: inSchema(this.#store, sql, this.#schema),
    };
    this.#names.set(sql, statement);
    return statement;
  }
}
