import { checkFence } from "../../../store/leases/fence.ts";
import type { Lease } from "../../../store/leases/leases.ts";
import { createClient } from "../../../store/sql/postgres/connect.ts";
import { inSchema } from "../../../store/sql/postgres/store.ts";
import type { FencedTransaction } from "../../conformance/leases.ts";

/** The tables of a store which has its own names, as stores beside the leases do. */
const store = { tableOf: (name: string) => `own_${name}` };

/** Starts a transaction in a schema which writes before it checks the fence. */
export async function startFenced(
  url: string,
  schema: string,
  { name, token }: Pick<Lease, "name" | "token">,
): Promise<FencedTransaction> {
  const client = createClient({ url });
  await client.connect();
  const query = async (sql: string, params: readonly unknown[] = []): Promise<object[]> => {
    return (await client.query<object>(inSchema(store, sql, schema), [...params])).rows;
  };
  await query("CREATE TABLE IF NOT EXISTS {written} (n integer)");
  await query("BEGIN");
  await query("INSERT INTO {written} VALUES (1)");
  const end = async (how: string): Promise<void> => {
    await query(how);
    await client.end();
  };
  return {
    async check() {
      const fence = checkFence(name, token);
      try {
        let step = fence.next([]);
        while (step.done !== true) step = fence.next(await query(step.value.sql, step.value.params));
      } catch (error) {
        await end("ROLLBACK");
        throw error;
      }
    },
    commit: () => end("COMMIT"),
    async isWritten() {
      const reader = createClient({ url });
      await reader.connect();
      const { rows } = await reader.query(inSchema(store, "SELECT n FROM {written}", schema));
      await reader.end();
      return rows.length === 1;
    },
  };
}
