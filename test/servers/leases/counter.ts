import { writeSync } from "node:fs";
import { checkFence } from "../../../store/leases/fence.ts";
import { type Lease, LeaseLostError, LeasesUnavailableError } from "../../../store/leases/leases.ts";
import { openPostgresLeases } from "../../../store/leases/postgres/open.ts";
import { leaseStore } from "../../../store/leases/postgres/store.ts";
import { openPool, PostgresExecutor } from "../../../store/sql/postgres/executor.ts";
import { first, type Operation, run, type Session } from "../../../store/sql/query.ts";

/** What the process has acknowledged. Its line leaves the process before anything else happens. */
export type CounterLine =
  | { readonly kind: "counted"; readonly n: number; readonly token: number }
  | { readonly kind: "lost"; readonly token: number };

const countsOfLease = 20;
/** The server ends a transaction of a stopped process after this time; until then others cannot acquire its lease. */
const statementTimeoutMs = 1_000;

/** Counts as a process does which trusts its lease: it reads, and writes one more, without a lock. */
function* count(_session: Session, name: string, token: number): Operation<number> {
  yield* checkFence(name, token);
  const { n } = (yield* first<{ n: number }>("SELECT n FROM {counter}"))!;
  yield* run("UPDATE {counter} SET n = $1", n + 1);
  return n + 1;
}

const [url = "", schema = ""] = process.argv.slice(2);
const leases = await openPostgresLeases({ url, schema, leaseMs: 300 });
const store = { ...leaseStore, operations: { count }, migrations: leaseStore.migrations };
const executor = new PostgresExecutor(store, await openPool(store, { url, statementTimeoutMs }, schema), {
  schema,
  maxWaiting: 1,
});
const say = (line: CounterLine): void => void writeSync(1, `${JSON.stringify(line)}\n`);
const never = new AbortController().signal;

async function acquire(): Promise<Lease> {
  for (;;) {
    try {
      return await leases.acquire("counter", never);
    } catch (error) {
      // A stopped process may be in a transaction, which holds the row of the lease.
      if (!(error instanceof LeasesUnavailableError)) throw error;
    }
  }
}

for (;;) {
  const lease = await acquire();
  const { name, token } = lease;
  try {
    for (let i = 0; i < countsOfLease; i++) {
      say({ kind: "counted", n: await executor.call("count", 0, [name, token], undefined), token });
    }
  } catch (error) {
    // The server has ended the transaction of this process, which was stopped in it.
    if (!(error instanceof LeaseLostError || error instanceof LeasesUnavailableError)) throw error;
    say({ kind: "lost", token });
  }
  await lease.release();
}
