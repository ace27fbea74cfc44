import type { Scheduler } from "../scheduler.ts";

/** One event and its user. */
export interface EventOfUser {
  readonly id: string;
  readonly userId: number;
  /** The ids that are told to belong to the user. */
  readonly reports: readonly string[];
}

/** One event in the tables. */
interface EventRow extends EventOfUser {
  readonly batch: number;
}

/**
 * A model of the event tables in ClickHouse: it keeps every row it ever receives, also from a loader which
 * has died or was given up, until the rows of the batch are deleted.
 */
export class EventTables {
  readonly #scheduler: Scheduler;
  readonly #changed: () => void;
  #rows: EventRow[] = [];
  /** Reports of users, and their batches. */
  #users: { readonly batch: number; readonly report: string }[] = [];
  /** Inserts on their way. */
  #pending = 0;

  constructor(scheduler: Scheduler, changed: () => void) {
    this.#scheduler = scheduler;
    this.#changed = changed;
  }

  /** Whether everything that was sent has arrived. */
  get isQuiet(): boolean {
    return this.#pending === 0;
  }

  /**
   * Inserts rows in parts. Resolves when all are inserted; may reject although some of them, or all, are
   * or will be inserted.
   */
  async insert(batch: number, events: readonly EventOfUser[], canFail: boolean): Promise<void> {
    const { random } = this.#scheduler;
    const half = random.int(0, events.length);
    const isFailing = canFail && random.chance(0.1);
    const parts = [events.slice(0, half), events.slice(half)].map((part) =>
      this.#part(batch, part, isFailing),
    );
    if (isFailing) throw new Error("the connection to the event tables is lost");
    await Promise.all(parts);
  }

  /** Returns the events of batches up to a number, except hidden ones. */
  scan(watermark: number, hidden: readonly number[]): readonly EventOfUser[] {
    return this.#rows.filter(({ batch }) => batch <= watermark && !hidden.includes(batch));
  }

  /** Returns what batches up to a number, except hidden ones, report of users. */
  users(watermark: number, hidden: readonly number[]): ReadonlySet<string> {
    const visible = this.#users.filter(({ batch }) => batch <= watermark && !hidden.includes(batch));
    return new Set(visible.map(({ report }) => report));
  }

  /** Loses what it knows of users, as a disk does. */
  loseUsers(): void {
    this.#users = [];
  }

  delete(batch: number): void {
    this.#users = this.#users.filter((row) => row.batch !== batch);
    this.#rows = this.#rows.filter((row) => row.batch !== batch);
    this.#changed();
  }

  /** Returns the number of rows in all batches. */
  get size(): number {
    return this.#rows.length;
  }

  #part(batch: number, events: readonly EventOfUser[], isFailing: boolean): Promise<void> {
    const { random } = this.#scheduler;
    const isLate = random.chance(isFailing ? 0.5 : 0.05);
    this.#pending++;
    return new Promise((resolve) => {
      this.#scheduler.after(isLate ? random.int(100, 8_000) : random.int(1, 20), () => {
        this.#pending--;
        this.#rows.push(...events.map((event) => ({ batch, ...event })));
        this.#users.push(...events.flatMap(({ reports }) => reports.map((report) => ({ batch, report }))));
        this.#scheduler.note(() => `events of batch ${batch} are inserted: ${textOf(events)}`);
        this.#changed();
        resolve();
      });
    });
  }
}

/** Returns events and their users as a text for messages and comparisons. */
export function textOf(events: readonly EventOfUser[]): string {
  return events.map(({ id, userId }) => `${id} of ${userId}`).join(", ");
}
