import { resolve } from "node:path";
import {
  type Intake,
  IntakeBehindError,
  type IntakePlace,
  type IntakeStats,
  type ResolvedUser,
  type RestoredUser,
} from "../intake.ts";
import { placeOf, seqOf } from "../place.ts";
import { IntakeDatabase, type Statement } from "./database.ts";
import { Identity } from "./identity.ts";
import { UuidRows } from "./uuid-rows.ts";

export interface SqliteIntakeOptions {
  /** The database file, on a local disk; a missing folder is created. */
  readonly path: string;
  /** The time after its receipt during which a uuid is not accepted again. Default 3 h. */
  readonly uuidWindowMs?: number;
  /**
   * The maximum number of uuids in memory, at 16 to 32 bytes each; beyond it the older half is
   * forgotten. Default 12 million.
   */
  readonly maxUuids?: number;
  /**
   * The maximum number of accounts, and of visitors, of each project in memory, at about 100 bytes
   * each. Default 400,000.
   */
  readonly maxCachedIds?: number;
  /** How long to wait for another process or thread to release the file. Default 2 s. */
  readonly lockWaitMs?: number;
}

const ifBehind =
  'restore both together, or stop the server and rebuild it with "engage store rebuild-intake"';
const hourMs = 3_600_000;

/**
 * Opens an intake in a SQLite file, which this thread then holds exclusively.
 * @throws IntakeOpenError
 */
export function openSqliteIntake(options: SqliteIntakeOptions): Intake & Disposable {
  return new SqliteIntake(options);
}

class SqliteIntake implements Intake, Disposable {
  readonly needsKeys = false;
  readonly #db: IntakeDatabase;
  readonly #identity: Identity;
  readonly #uuids: UuidRows;
  readonly #claimFirstCheck: Statement;
  readonly #takeFirstChecksBack: Statement;
  readonly #findProgress: Statement;
  readonly #saveProgress: Statement;
  #seq = 0;

  constructor(options: SqliteIntakeOptions) {
    const { uuidWindowMs = 3 * hourMs, maxUuids = 12_000_000, maxCachedIds = 400_000 } = options;
    const db = IntakeDatabase.open(resolve(options.path), options.lockWaitMs ?? 2_000);
    this.#db = db;
    this.#identity = new Identity(db, maxCachedIds);
    this.#uuids = new UuidRows(db, { windowMs: uuidWindowMs, maxUuids });
    this.#claimFirstCheck = db.prepare("INSERT OR IGNORE INTO first_checks VALUES (?, ?, ?, ?)");
    this.#takeFirstChecksBack = db.prepare("DELETE FROM first_checks WHERE seq >= ?");
    this.#findProgress = db.prepare("SELECT seq FROM progress");
    this.#saveProgress = db.prepare("INSERT OR REPLACE INTO progress VALUES (1, ?)");
  }

  async preparedTo(): Promise<IntakePlace | undefined> {
    const seq = this.#findProgress.get()?.["seq"];
    return seq === undefined ? undefined : placeOf(seq);
  }

  async rewind(to: IntakePlace | undefined): Promise<void> {
    this.#dropOpenBatch();
    const seq = seqOf(to);
    if (seq > (this.#findProgress.get()?.["seq"] ?? 0)) {
      throw new IntakeBehindError(
        `the event store has loaded up to file ${to?.number} offset ${to?.offset}, which the intake has not prepared: ${ifBehind}`,
      );
    }
    this.#db.exec("BEGIN IMMEDIATE");
    this.#takeFirstChecksBack.run(seq);
    this.#uuids.rewind(seq);
    this.#db.exec("COMMIT");
    this.#identity.rewind(seq);
  }

  async markUnreported(from: IntakePlace | undefined): Promise<void> {
    this.#dropOpenBatch();
    const seq = seqOf(from);
    this.#db.exec("BEGIN IMMEDIATE");
    for (const table of ["accounts", "visitors"]) {
      this.#db.prepare(`UPDATE ${table} SET seq = ? WHERE seq >= ?`).run(Number.MAX_SAFE_INTEGER, seq);
    }
    this.#db.exec("COMMIT");
    this.#identity.rewind(seq);
  }

  restore(projectId: number, user: RestoredUser): void {
    this.#identity.restore(projectId, user);
  }

  async begin(from: IntakePlace): Promise<void> {
    if (this.#db.isTransaction) throw new RangeError("the previous batch is neither committed nor rewound");
    this.#db.exec("BEGIN IMMEDIATE");
    this.#seq = seqOf(from);
    this.#identity.beginBatch(this.#seq);
  }

  resolve(projectId: number, accountId: string | undefined, distinctId: string | undefined): ResolvedUser {
    return this.#identity.resolve(projectId, accountId, distinctId);
  }

  claimUuid(projectId: number, uuid: string, receivedMs: number): boolean {
    return this.#uuids.claim(projectId, uuid, receivedMs);
  }

  claimFirstCheck(projectId: number, eventName: string, firstCheckId: string): boolean {
    return this.#claimFirstCheck.run(projectId, eventName, firstCheckId, this.#seq) === 1;
  }

  async commit(to: IntakePlace): Promise<void> {
    this.#identity.save();
    this.#uuids.save(this.#seq);
    this.#saveProgress.run(seqOf(to));
    this.#db.exec("COMMIT");
  }

  stats(): IntakeStats {
    return { uuids: this.#uuids.size, uuidsForgotten: this.#uuids.forgotten };
  }

  [Symbol.dispose](): void {
    this.#db[Symbol.dispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this[Symbol.dispose]();
  }

  #dropOpenBatch(): void {
    // SQLite may have rolled back by itself, and a second ROLLBACK would throw.
    if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
  }
}
