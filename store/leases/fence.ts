import { first, type Operation } from "../sql/query.ts";
import { LeaseLostError } from "./leases.ts";

/**
 * Makes a transaction on PostgreSQL fail unless a lease is still the current one of its name. An
 * operation of a store in the schema of the leases yields this first. Until its commit no other process
 * can acquire the lease, while the holder can renew it. The store lists LeaseLostError in the
 * `requestErrors` of its faults.
 *
 * @throws LeaseLostError when another process has acquired the lease since
 */
export function* checkFence(name: string, token: number): Operation<void> {
  const current = yield* first<{ token: number }>(
    "SELECT token FROM {leases} WHERE name = $1 FOR KEY SHARE",
    name,
  );
  if (current?.token === token) return;
  const words = current === null ? "does not exist" : `has token ${current.token} now`;
  throw new LeaseLostError(`lease "${name}" with token ${token} is lost: it ${words}`);
}
