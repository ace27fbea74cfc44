import { type DeadLetterBatch, encodeDeadLetter } from "../../../store/deadletters/deadletters.ts";
import { createRecordDeadLetters, indexOfProject } from "../ingest/refused-records.ts";
import type { DroppedProperty, DropReason, RefusalReason } from "../record/record.ts";
import type { DuplicateKind, LimitedName, LoadRefusal, RecordCounts } from "./prepared.ts";

/** The origin of a refused record. */
export interface RefusedFrom {
  readonly projectId: number;
  readonly receivedMs: number;
  /** See SpoolLine. */
  readonly place?: string | undefined;
}

/** Messages of one dead letter. */
const maxMessages = 10;

/** Counts the results of the records of a batch and collects dead letters. */
export class Tally {
  records = 0;
  events = 0;
  updates = 0;
  users = 0;
  /** See PreparedBatch. */
  readonly overLimit = new Map<number, DroppedProperty>();
  readonly #limited = new Map<string, LimitedName>();
  readonly #duplicates: Record<DuplicateKind, number> = { uuid: 0, first_check_id: 0 };
  readonly #refused: Partial<Record<RefusalReason | LoadRefusal, number>> = {};
  readonly #dropped: Partial<Record<DropReason, number>> = {};
  readonly #deadLetters: string[] = [];
  /** The request of the last dead letter. */
  #from: RefusedFrom | undefined;
  #buffer = createRecordDeadLetters();

  refuse(
    reason: RefusalReason | LoadRefusal,
    message: string,
    line: string | Uint8Array,
    from: RefusedFrom | undefined,
  ): void {
    this.#refused[reason] = (this.#refused[reason] ?? 0) + 1;
    this.#keep(reason, message, line, from);
  }

  duplicate(kind: DuplicateKind): void {
    this.#duplicates[kind]++;
  }

  /** Counts dropped properties. @param lineOf called if the record becomes a dead letter too */
  drop(from: RefusedFrom, dropped: readonly DroppedProperty[], lineOf: () => string): void {
    for (const one of dropped) {
      this.#dropped[one.reason] = (this.#dropped[one.reason] ?? 0) + 1;
      if (one.reason === "property_limit") this.overLimit.set(from.projectId, one);
      if (one.reason === "name_rate") this.limit(from.projectId, one.reason, one.name);
    }
    const changed = dropped.filter(({ reason }) => reason === "number_range");
    if (changed.length === 0) return;
    const messages = changed.slice(0, maxMessages).map(({ message }) => message);
    const further = changed.length > maxMessages ? `; and ${changed.length - maxMessages} more` : "";
    this.#keep("number_range", `${messages.join("; ")}${further}`, lineOf(), from);
  }

  limit(projectId: number, reason: LimitedName["reason"], name: string): void {
    this.#limited.set(`${projectId}:${reason}`, { projectId, reason, name });
  }

  /** See PreparedBatch. */
  limited(): readonly LimitedName[] {
    return [...this.#limited.values()];
  }

  #keep(
    reason: RefusalReason | LoadRefusal | DropReason,
    message: string,
    line: string | Uint8Array,
    from: RefusedFrom | undefined,
  ): void {
    const deadLetter = {
      time: new Date(from?.receivedMs ?? 0),
      source: "event.load",
      index: from === undefined ? undefined : (from.place ?? indexOfProject(from.projectId)),
      format: undefined,
      reason,
      message,
      line,
    };
    // A damaged line was acknowledged, so all of it is kept.
    if (from === undefined) {
      this.#deadLetters.push(encodeDeadLetter(deadLetter, Number.POSITIVE_INFINITY));
      return;
    }
    if (from !== this.#from) this.#closeRequest(from);
    for (const text of this.#buffer.add(deadLetter)) this.#deadLetters.push(text);
  }

  #closeRequest(next: RefusedFrom | undefined): void {
    for (const text of this.#buffer.close()) this.#deadLetters.push(text);
    this.#buffer = createRecordDeadLetters();
    this.#from = next;
  }

  counts(): RecordCounts {
    const { records, events, updates, users } = this;
    return {
      records,
      events,
      updates,
      users,
      duplicates: this.#duplicates,
      refused: this.#refused,
      dropped: this.#dropped,
    };
  }

  deadLetters(): DeadLetterBatch | undefined {
    this.#closeRequest(undefined);
    if (this.#deadLetters.length === 0) return undefined;
    return {
      count: this.#deadLetters.length,
      ndjson: new Uint8Array(Buffer.from(this.#deadLetters.join(""))),
    };
  }
}
