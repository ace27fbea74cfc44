import type { Pool } from "pg";
import { intakeStore } from "../../../../store/intake/postgres/store.ts";
import type { BinarySelect } from "../../../../store/sql/postgres/copy/binary-select.ts";
import { PostgresExecutor } from "../../../../store/sql/postgres/executor.ts";
import { encodeRows } from "../../../simulation/database/binary-rows.ts";
import { DatabaseServer } from "../../../simulation/database/server.ts";
import type { Transaction } from "../../../simulation/database/transaction.ts";

export type IntakeExecutor = PostgresExecutor<typeof intakeStore.operations>;

/** The tables of intakes in the model of PostgreSQL, whose statements run at once. */
export class ModelDatabase {
  readonly #server = new DatabaseServer([intakeStore]);

  /** Empties all tables. */
  clear(): void {
    this.#server.start({ clockMs: () => 0, soon: (call) => call(), committed: () => {} });
  }

  open(): IntakeExecutor {
    const pool = { waitingCount: 0, connect: async () => this.#connect(), end: async () => {} };
    return new PostgresExecutor(intakeStore, pool as unknown as Pool, { schema: "s", maxWaiting: 1 });
  }

  read(sql: string): readonly object[] {
    return this.#server.read(sql);
  }

  #connect() {
    let transaction: Transaction | undefined;
    const run = (text: string, values: readonly unknown[]): readonly object[] => {
      let result: readonly object[] = [];
      this.#server.run(transaction!, text, values, ({ rows = [], error }) => {
        if (error !== undefined) throw error;
        result = rows;
      });
      return result;
    };
    return {
      release: () => {},
      query: (
        statement: string | { text: string; values: unknown[] } | BinarySelect,
        given: unknown[] = [],
      ) => {
        if (typeof statement === "object" && "select" in statement) {
          for (const chunk of encodeRows(run(statement.select, statement.params)))
            statement.handleCopyData({ chunk });
          (statement as unknown as { callback: (error: null) => void }).callback(null);
          return undefined;
        }
        const { text, values } =
          typeof statement === "string" ? { text: statement, values: given } : statement;
        if (text === "BEGIN") transaction = this.#server.begin();
        else if (text === "COMMIT") this.#server.commit(transaction!);
        else if (text === "ROLLBACK") this.#server.rollback(transaction!);
        else return Promise.resolve({ rows: run(text, values) });
        return Promise.resolve({ rows: [] });
      },
    };
  }
}
