import { isUtf8 } from "node:buffer";
import { checkLine } from "../../../base/files/line-checksum.ts";
import { stringifyExactJson } from "../../../base/json/exact-numbers.ts";
import { compileToInstant } from "../../../base/time/zone.ts";
import type { SpoolPlace } from "../../../store/events/events.ts";
import { type Intake, IntakeUnavailableError } from "../../../store/intake/intake.ts";
import { stringifyDeepJson } from "../exact-json.ts";
import { checkRecord } from "../record/check-record.ts";
import { isShallow } from "../record/convert.ts";
import { decodeSpoolLine, type SpoolLine } from "../spool-line.ts";
import type { PreparedBatch, PrepareStart, PrepareTask } from "./prepared.ts";
import { createProjectState, type ProjectState } from "./project-state.ts";
import { ProjectFiles } from "./row-files.ts";
import { writeEvent, writeSeen, writeUpdate, writeUser } from "./rows.ts";
import { Tally } from "./tally.ts";

export interface PreparerOptions {
  readonly intake: Intake;
  /** Folder of the files of prepared rows, which exists. */
  readonly folder: string;
  /** Called with the offset of each line in the file of the spool, before it is prepared. */
  readonly begun?: (offset: number) => void;
}

/** Converts lines of the spool to rows for the store. It is synchronous, for a thread of its own. */
export interface Preparer {
  /** Discards the state of records that the store has not loaded. Must be called first, and after each error. */
  reset(start: PrepareStart): void;
  /**
   * Prepares the next batch; batches follow each other without a gap. Its claims are on disk when it returns.
   * @throws IntakeUnavailableError, or an error of the file system; then `reset` must be called
   */
  prepare(task: PrepareTask): PreparedBatch;
}

const lf = 0x0a;

export function createPreparer({ intake, folder, begun = () => {} }: PreparerOptions): Preparer {
  let projects: ReadonlyMap<number, ProjectState> = new Map();
  return {
    reset(start) {
      intake.rewind(start.loadedTo);
      projects = new Map(
        Array.from(start.projects, ([id, { schema, zone, rates }]) => [
          id,
          createProjectState(schema, compileToInstant(zone), {
            maxProperties: start.maxProperties,
            names: start.names,
            rates,
          }),
        ]),
      );
    },
    prepare({ from, bytes, maxRecords, skipped }) {
      using batch = new BatchPreparer(intake, projects, folder, from);
      intake.begin(from);
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let start = 0;
      let lines = 0;
      while (start < buffer.length && batch.tally.records < maxRecords) {
        const end = buffer.indexOf(lf, start);
        if (end === -1) break;
        const line = buffer.subarray(start, end);
        const offset = from.offset + start;
        begun(offset);
        if (skipped.includes(offset)) batch.skip(line);
        else if (checkLine(line, { number: from.number, offset }) === "damaged") batch.addDamaged(line);
        else batch.addLine(line);
        start = end + 1;
        lines++;
      }
      const to = { number: from.number, offset: from.offset + start };
      const prepared = batch.close(to);
      intake.commit(to);
      return { ...prepared, lines, uuidsForgotten: intake.stats().uuidsForgotten };
    },
  };
}

/** Prepares one batch. */
class BatchPreparer implements Disposable {
  readonly tally = new Tally();
  readonly #intake: Intake;
  readonly #projects: ReadonlyMap<number, ProjectState>;
  readonly #files = new Map<number, ProjectFiles>();
  readonly #folder: string;
  readonly #from: SpoolPlace;
  #firstReceivedMs = Number.POSITIVE_INFINITY;

  constructor(intake: Intake, projects: ReadonlyMap<number, ProjectState>, folder: string, from: SpoolPlace) {
    this.#intake = intake;
    this.#projects = projects;
    this.#folder = folder;
    this.#from = from;
  }

  /** Refuses a line that has ended the thread twice. */
  skip(line: Buffer): void {
    this.tally.records++;
    const message = "the thread that prepares records ended twice at this line";
    this.tally.refuse("internal", message, textOrBytes(line), undefined);
  }

  /** Refuses a damaged line. */
  addDamaged(line: Buffer): void {
    this.tally.records++;
    this.tally.refuse("bad_line", "line of the spool is damaged", textOrBytes(line), undefined);
  }

  addLine(bytes: Buffer): void {
    const line = decodeSpoolLine(bytes.toString());
    if (line === undefined) {
      this.addDamaged(bytes);
      return;
    }
    const { projectId, receivedMs, steadyMs = receivedMs, appid, records } = line;
    this.#firstReceivedMs = Math.min(this.#firstReceivedMs, receivedMs);
    const state = this.#projects.get(projectId);
    state?.names.begin(appid, steadyMs);
    this.tally.records += records.length;
    for (const record of records) {
      if (state === undefined) {
        const message = `there is no project ${projectId} in the configuration`;
        this.tally.refuse("unknown_project", message, letterOf(record), line);
      } else {
        this.#add(state, line, record);
      }
    }
  }

  close(to: SpoolPlace): Omit<PreparedBatch, "lines" | "uuidsForgotten"> {
    for (const files of this.#files.values()) files.close();
    const projects = Array.from(this.#files, ([id, files]) => files.rows(this.#projects.get(id)!));
    return {
      batch: { from: this.#from, to, projects },
      counts: this.tally.counts(),
      rates: new Map(Array.from(this.#files.keys(), (id) => [id, this.#projects.get(id)!.names.rates()])),
      letters: this.tally.letters(),
      overLimit: this.tally.overLimit,
      limited: this.tally.limited(),
      firstReceivedMs: this.#firstReceivedMs,
    };
  }

  /** Discards the files unless the batch was closed. */
  [Symbol.dispose](): void {
    for (const files of this.#files.values()) files.abandon();
  }

  #add(state: ProjectState, line: SpoolLine, record: unknown): void {
    try {
      this.#store(state, line, record);
    } catch (error) {
      // An error of the disk is not a fault of the record.
      if (error instanceof IntakeUnavailableError || (error instanceof Error && "syscall" in error))
        throw error;
      this.#files.get(line.projectId)?.undoLines();
      this.tally.refuse("internal", `cannot be prepared: ${String(error)}`, letterOf(record), line);
    }
  }

  #store(state: ProjectState, line: SpoolLine, record: unknown): void {
    const { projectId, receivedMs, steadyMs = receivedMs } = line;
    const checked = checkRecord(record, state.rules, receivedMs);
    const { tally } = this;
    if (checked.kind === "refused") {
      tally.refuse(checked.reason, checked.message, letterOf(record), line);
      if (checked.reason === "event_limit" || checked.reason === "name_rate") {
        tally.limit(projectId, checked.reason, (record as StandardRecord)["#event_name"]);
      }
      return;
    }
    const { uuid, accountId, distinctId } = checked;
    if (uuid !== undefined && !this.#intake.claimUuid(projectId, uuid, steadyMs)) {
      tally.duplicate("uuid");
      return;
    }
    const firstCheckId = checked.kind === "event" ? checked.firstCheckId : undefined;
    if (checked.kind === "event" && firstCheckId !== undefined) {
      if (!this.#intake.claimFirstCheck(projectId, checked.name, firstCheckId)) {
        tally.duplicate("first_check_id");
        return;
      }
    }
    const { userId, isNew, ownsVisitor } = this.#intake.resolve(projectId, accountId, distinctId);
    const files = this.#filesOf(projectId);
    if (isNew) writeSeen(files.seen, userId, accountId, ownsVisitor ? distinctId : undefined);
    if (checked.kind === "event") {
      writeEvent(files.eventsAt(checked.timeMs), state, checked, userId, receivedMs);
      tally.events++;
    } else if (checked.kind === "update") {
      writeUpdate(files.updates, state, checked, userId, receivedMs);
      tally.updates++;
    } else {
      writeUser(files.users, state, checked, userId);
      tally.users++;
    }
    if (checked.dropped.length > 0) tally.drop(line, checked.dropped, () => letterOf(record));
  }

  #filesOf(projectId: number): ProjectFiles {
    const known = this.#files.get(projectId);
    if (known !== undefined) return known;
    const { number, offset } = this.#from;
    const files = new ProjectFiles(this.#folder, `${number}-${offset}`, projectId);
    this.#files.set(projectId, files);
    return files;
  }
}

interface StandardRecord {
  readonly "#event_name": string;
}

/** Returns the text of a line, or its bytes if they are not UTF-8. */
function textOrBytes(line: Buffer): string | Uint8Array {
  return isUtf8(line) ? line.toString() : line;
}

/** Nesting beyond which JSON is written without recursion, so that one record does not block later ones. */
const maxLetterDepth = 64;

function letterOf(record: unknown): string {
  return isShallow(record, maxLetterDepth) ? stringifyExactJson(record) : stringifyDeepJson(record);
}
