import { IntakeDatabase } from "./database.ts";

/** The content of an intake, for a copy into another one. */
export interface MovedIntake extends Disposable {
  /** Returns the end of the last batch as a number; 0 before the first. */
  preparedSeq(): number;
  counts(): Readonly<Record<"projects" | "accounts" | "visitors" | "first_checks", number>>;
  /** Yields project, spool and the number of users. */
  projects(): Iterable<readonly unknown[]>;
  /** Yields project, id, user and place, where ids that the store may not know keep theirs. */
  accounts(seq: number): Iterable<readonly unknown[]>;
  /** Yields the same, and whether the user has an account. */
  visitors(seq: number): Iterable<readonly unknown[]>;
  /** Yields project, event, id and place. */
  firstChecks(seq: number): Iterable<readonly unknown[]>;
  /** Yields the hashes of the uuids within the window before the last one, and their times. */
  uuids(windowMs: number): Iterable<readonly [hash: Buffer, timeMs: number]>;
}

const claimNumbers = 3;
const hashBytes = 8;

/** Opens an intake that no process uses. @throws IntakeOpenError, IntakeUnavailableError */
export function readMovedIntake(path: string): MovedIntake {
  const db = IntakeDatabase.open(path, 2_000);
  const count = (table: string): number =>
    db.prepare(`SELECT count(*) AS rows FROM ${table}`).get()!["rows"]!;
  const bytes = (text: unknown): Buffer => Buffer.from(text as string);
  const placeOf = (row: Record<string, unknown>, seq: number): unknown =>
    row["seq"] === Number.MAX_SAFE_INTEGER ? row["seq"] : seq;
  return {
    preparedSeq: () => db.prepare("SELECT seq FROM progress").get()?.["seq"] ?? 0,
    counts: () => ({
      projects: count("projects"),
      accounts: count("accounts"),
      visitors: count("visitors"),
      first_checks: count("first_checks"),
    }),
    *projects() {
      for (const row of db.prepare("SELECT project, users FROM projects").all())
        yield [row["project"], row["project"], row["users"]];
    },
    *accounts(seq) {
      for (const row of db.prepare("SELECT project, account, user, seq FROM accounts").all())
        yield [row["project"], bytes(row["account"]), row["user"], placeOf(row, seq)];
    },
    *visitors(seq) {
      for (const row of db.prepare("SELECT project, visitor, user, bound, seq FROM visitors").all())
        yield [row["project"], bytes(row["visitor"]), row["user"], placeOf(row, seq), row["bound"]];
    },
    *firstChecks(seq) {
      for (const row of db.prepare("SELECT project, event, id FROM first_checks").all())
        yield [row["project"], bytes(row["event"]), bytes(row["id"]), seq];
    },
    *uuids(windowMs) {
      const latest = db.prepare("SELECT max(latest_ms) AS latest FROM uuids").get()?.["latest"] ?? 0;
      for (const row of db.prepare("SELECT base_ms, claims FROM uuids ORDER BY seq").all())
        yield* claimsOf(row, latest - windowMs);
    },
    [Symbol.dispose]: () => db[Symbol.dispose](),
  };
}

function* claimsOf(
  row: Record<string, unknown>,
  fromMs: number,
): Iterable<readonly [hash: Buffer, timeMs: number]> {
  const claims = new Uint32Array(new Uint8Array(row["claims"] as Uint8Array).buffer);
  for (let at = 0; at < claims.length; at += claimNumbers) {
    const timeMs = (row["base_ms"] as number) + claims[at + 2]!;
    if (timeMs <= fromMs) continue;
    const hash = Buffer.allocUnsafe(hashBytes);
    hash.writeUInt32BE(claims[at]!, 0);
    hash.writeUInt32BE(claims[at + 1]!, 4);
    yield [hash, timeMs];
  }
}
