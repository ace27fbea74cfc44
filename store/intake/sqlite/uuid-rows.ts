import { ExpiringUuidSet, type ExpiringUuidSetOptions } from "../expiring-uuid-set.ts";
import { repeatedBatches } from "../intake.ts";
import type { IntakeDatabase, Statement } from "./database.ts";

/** Two halves of a hash and the milliseconds since the row's base. */
const claimNumbers = 3;
const firstClaims = 1_024;
const maxOffsetMs = 2 ** 32 - 1;

/**
 * Persists the window of uuids in one row per batch, which are read at start. Rows are only appended, and deleted when
 * no batch that may be prepared again can find them. An index of the uuids, which have no order, would write a page for
 * each.
 */
export class UuidRows {
  readonly #uuids: ExpiringUuidSet;
  readonly #windowMs: number;
  readonly #insert: Statement;
  readonly #expire: Statement;
  readonly #takeBack: Statement;
  readonly #all: Statement;
  #claims = new Uint32Array(firstClaims * claimNumbers);
  #length = 0;
  #baseMs = 0;
  #latestMs = 0;
  #expireAtMs = 0;

  constructor(db: IntakeDatabase, options: ExpiringUuidSetOptions) {
    this.#uuids = new ExpiringUuidSet(options);
    this.#windowMs = options.windowMs;
    this.#insert = db.prepare("INSERT OR REPLACE INTO uuids VALUES (?, ?, ?, ?)");
    // A row's base is one window before its first claim, so that this is two windows before the earliest of the last
    // batches. Batches without a row found all their uuids in others.
    this.#expire = db.prepare(`DELETE FROM uuids WHERE latest_ms < (SELECT min(base_ms)
      FROM (SELECT base_ms FROM uuids ORDER BY seq DESC LIMIT ${repeatedBatches})) - ?`);
    this.#takeBack = db.prepare("DELETE FROM uuids WHERE seq >= ?");
    this.#all = db.prepare("SELECT base_ms, claims FROM uuids ORDER BY seq");
  }

  get size(): number {
    return this.#uuids.size;
  }

  get forgotten(): number {
    return this.#uuids.forgotten;
  }

  claim(projectId: number, uuid: string, receivedMs: number): boolean {
    if (!this.#uuids.claim(projectId, uuid, receivedMs)) return false;
    const { low, high } = this.#uuids.lastHash;
    if (this.#length === 0) this.#baseMs = receivedMs - this.#windowMs;
    if (receivedMs > this.#latestMs) this.#latestMs = receivedMs;
    if (this.#length === this.#claims.length) {
      const longer = new Uint32Array(this.#length * 2);
      longer.set(this.#claims);
      this.#claims = longer;
    }
    this.#claims[this.#length++] = low;
    this.#claims[this.#length++] = high;
    this.#claims[this.#length++] = Math.min(maxOffsetMs, Math.max(0, receivedMs - this.#baseMs));
    return true;
  }

  /** Writes the batch's row. To be called before a commit. */
  save(seq: number): void {
    if (this.#length === 0) return;
    const { buffer } = this.#claims;
    this.#insert.run(seq, this.#baseMs, this.#latestMs, new Uint8Array(buffer, 0, this.#length * 4));
    if (this.#latestMs >= this.#expireAtMs) {
      this.#expire.run(this.#windowMs);
      this.#expireAtMs = this.#latestMs + this.#windowMs / 16;
    }
    this.#forgetBatch();
  }

  /** Undoes the claims of batches from this place on, and reads the others. */
  rewind(seq: number): void {
    this.#takeBack.run(seq);
    this.#forgetBatch();
    this.#expireAtMs = 0;
    this.#uuids.clear();
    for (const row of this.#all.all()) {
      const baseMs = row["base_ms"] as number;
      // The copy begins at a multiple of 4 bytes, which the row may not.
      const claims = new Uint32Array(new Uint8Array(row["claims"] as Uint8Array).buffer);
      for (let at = 0; at < claims.length; at += claimNumbers) {
        this.#uuids.claimHash(claims[at]!, claims[at + 1]!, baseMs + claims[at + 2]!);
      }
    }
  }

  #forgetBatch(): void {
    this.#length = 0;
    this.#latestMs = 0;
  }
}
