import { writeSync } from "node:fs";
import { checkFence } from "../../../store/leases/fence.ts";
import { LeaseLostError } from "../../../store/leases/leases.ts";
import { openPostgresLeases } from "../../../store/leases/postgres/open.ts";
import { leaseStore } from "../../../store/leases/postgres/store.ts";
import { openPool, PostgresExecutor } from "../../../store/sql/postgres/executor.ts";
import { first, type Operation, run, type Session } from "../../../store/sql/query.ts";

/** What the process has acknowledged. Its line leaves the process before anything else happens. */
export type CounterLine =
  | { readonly kind: "counted"; readonly n: number; readonly token: number }
  | { readonly kind: "lost"; readonly token: number };

const countsOfLease = 20;

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
const executor = new PostgresExecutor(store, await openPool(store, { url }, schema), {
  schema,
  maxWaiting: 1,
});
const say = (line: CounterLine): void => void writeSync(1, `${JSON.stringify(line)}\n`);
const never = new AbortController().signal;

for (;;) {
  const lease = await leases.acquire("counter", never);
  const { name, token } = lease;
  try {
    for (let i = 0; i < countsOfLease; i++) {
      say({ kind: "counted", n: await executor.call("count", 0, [name, token], undefined), token });
    }
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    say({ kind: "lost", token });
  }
  await lease.release();
}
