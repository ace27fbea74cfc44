import type { ClientBase } from "pg";
import type { Dialect, Operation, Query, Row } from "../sql/query.ts";
import { inSchema } from "./schema.ts";

/** Rows of one INSERT: PostgreSQL takes 65,535 parameters, and an insert here has at most 17 columns. */
const MAX_INSERTED = 1_000;

export const postgresDialect: Dialect = {
  forUpdate: "FOR UPDATE",
  skipLocked: "FOR UPDATE OF b SKIP LOCKED",
  integersOf: (param) => `(SELECT value::bigint FROM json_array_elements_text(${param}::json))`,
};

/** Runs operations in one schema, with statements that each connection prepares once. */
export class Runner {
  readonly #schema: string;
  readonly #names = new Map<string, { readonly name: string; readonly text: string }>();

  constructor(schema: string) {
    this.#schema = schema;
  }

  /** In a transaction of its own. After an error it has been rolled back, or its connection is broken. */
  async transact<T>(client: ClientBase, operation: Operation<T>): Promise<T> {
    await client.query("BEGIN");
    try {
      let step = operation.next([]);
      while (step.done !== true) step = operation.next(await this.#query(client, step.value));
      await client.query("COMMIT");
      return step.value;
    } catch (error) {
      // What failed is what the caller wants to know, not that the way to the server is gone.
      await client.query("ROLLBACK").catch(() => {});
      throw error;
    }
  }

  async #query(client: ClientBase, { sql, params, insert }: Query): Promise<readonly Row[]> {
    if (insert === undefined) {
      const { rows } = await client.query<Row>({ ...this.#prepared(sql), values: [...params] });
      return rows;
    }
    for (let at = 0; at < insert.length; at += MAX_INSERTED) {
      const rows = insert.slice(at, at + MAX_INSERTED);
      const width = rows[0]!.length;
      const places = rows.map((row, i) => `(${row.map((_value, j) => `$${i * width + j + 1}`).join(", ")})`);
      // Not prepared by name: there would be one statement for each number of rows.
      await client.query(inSchema(`${sql} VALUES ${places.join(", ")}`, this.#schema), rows.flat());
    }
    return [];
  }

  #prepared(sql: string): { readonly name: string; readonly text: string } {
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    const statement = { name: `channels_${this.#names.size}`, text: inSchema(sql, this.#schema) };
    this.#names.set(sql, statement);
    return statement;
  }
}
