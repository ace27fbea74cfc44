import { isUtf8 } from "node:buffer";
import { compileToInstant } from "../../../base/time/zone.ts";
import type { SpoolPlace } from "../../../store/events/events.ts";
import { type Intake, IntakeUnavailableError } from "../../../store/intake/intake.ts";
import { stringifyAnyJson } from "../exact-json.ts";
import { checkRecord } from "../record/check-record.ts";
import type { CheckedRecord } from "../record/record.ts";
import type { SpoolLine } from "../spool-line.ts";
import { createSampler, outcomeOf, type RepeatedId, refusedAs, type Sampler } from "../watch/sample.ts";
import type { RecordSource } from "../watch/seen-record.ts";
import type { LoadRefusal, PreparedBatch, PrepareStart, PrepareTask } from "./prepared.ts";
import { createProjectState, type ProjectState } from "./project-state.ts";
import { ProjectFiles } from "./row-files.ts";
import { writeEvent, writeSeen, writeUpdate, writeUser } from "./rows.ts";
import { Tally } from "./tally.ts";
import { keysOf, type TaskLine, TaskLines } from "./task-lines.ts";

export interface PreparerOptions {
  readonly intake: Intake;
  /** Folder of the files of prepared rows, which exists. */
  readonly folder: string;
  /** Called with the offset of each line in the file of the spool, before it is read and before it is prepared. */
  readonly begun?: (offset: number) => void;
}

/**
 * Converts lines of the spool to rows for the store, one call at a time. It is for a thread of its own: it yields only
 * where the intake does.
 */
export interface Preparer {
  /** Discards the state of records that the store has not loaded. Must be called first, and after each error. */
  reset(start: PrepareStart): Promise<void>;
  /**
   * Prepares the next batch; batches follow each other without a gap. Its claims are on disk when the promise resolves.
   * @throws IntakeUnavailableError, or an error of the file system; then `reset` must be called
   */
  prepare(task: PrepareTask): Promise<PreparedBatch>;
}

export function createPreparer({ intake, folder, begun = () => {} }: PreparerOptions): Preparer {
  let projects: ReadonlyMap<number, ProjectState> = new Map();
  return {
    async reset(start) {
      await intake.rewind(start.loadedTo);
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
    async prepare(task) {
      const { from } = task;
      using batch = new BatchPreparer(intake, projects, folder, task);
      const lines = new TaskLines(task, begun);
      if (intake.needsKeys) {
        const all = lines.all();
        await intake.begin(from, keysOf(all, projects));
        for (const line of all) {
          begun(line.offset);
          batch.add(line);
        }
      } else {
        await intake.begin(from);
        for (let line = lines.next(); line !== undefined; line = lines.next()) batch.add(line);
      }
      const to = lines.end;
      const prepared = batch.close(to);
      await intake.commit(to);
      return { ...prepared, lines: lines.count, uuidsForgotten: intake.stats().uuidsForgotten };
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
  readonly #sampler: Sampler | undefined;
  #firstReceivedMs = Number.POSITIVE_INFINITY;

  constructor(
    intake: Intake,
    projects: ReadonlyMap<number, ProjectState>,
    folder: string,
    { from, watched }: PrepareTask,
  ) {
    this.#intake = intake;
    this.#projects = projects;
    this.#folder = folder;
    this.#from = from;
    this.#sampler = createSampler(watched);
  }

  add({ content, bytes }: TaskLine): void {
    if (content === "skipped") {
      this.#refuseLine("internal", "the thread that prepares records ended twice at this line", bytes);
    } else if (content === "damaged") {
      this.#refuseLine("bad_line", "line of the spool is damaged", bytes);
    } else {
      this.#addRecords(content);
    }
  }

  #refuseLine(reason: LoadRefusal, message: string, line: Buffer): void {
    this.tally.records++;
    this.tally.refuse(reason, message, textOrBytes(line), undefined);
  }

  #addRecords(line: SpoolLine): void {
    const { projectId, receivedMs, steadyMs = receivedMs, appid, records } = line;
    this.#firstReceivedMs = Math.min(this.#firstReceivedMs, receivedMs);
    const state = this.#projects.get(projectId);
    state?.names.begin(appid, steadyMs);
    this.tally.records += records.length;
    for (const record of records) {
      if (state === undefined) {
        const message = `there is no project ${projectId} in the configuration`;
        this.tally.refuse("unknown_project", message, stringifyAnyJson(record), line);
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
      deadLetters: this.tally.deadLetters(),
      overLimit: this.tally.overLimit,
      limited: this.tally.limited(),
      firstReceivedMs: this.#firstReceivedMs,
      sample: this.#sampler?.close(),
    };
  }

  /** Discards the files unless the batch was closed. */
  [Symbol.dispose](): void {
    for (const files of this.#files.values()) files.abandon();
  }

  #add(state: ProjectState, line: SpoolLine, record: unknown): void {
    try {
      const stored = this.#store(state, line, record);
      this.#sampler?.add(sourceOf(line, record), outcomeOf(stored));
    } catch (error) {
      // An error of the disk is not a fault of the record.
      if (error instanceof IntakeUnavailableError || (error instanceof Error && "syscall" in error))
        throw error;
      this.#files.get(line.projectId)?.undoLines();
      const message = `cannot be prepared: ${String(error)}`;
      this.tally.refuse("internal", message, stringifyAnyJson(record), line);
      this.#sampler?.add(sourceOf(line, record), refusedAs({ reason: "internal", field: "", message }));
    }
  }

  /** Returns the verdict, or the id of a stored record that this one repeats. */
  #store(state: ProjectState, line: SpoolLine, record: unknown): CheckedRecord | RepeatedId {
    const { projectId, receivedMs, steadyMs = receivedMs } = line;
    const checked = checkRecord(record, state.rules, receivedMs);
    const { tally } = this;
    if (checked.kind === "refused") {
      tally.refuse(checked.reason, checked.message, stringifyAnyJson(record), line);
      if (checked.reason === "event_limit" || checked.reason === "name_rate") {
        tally.limit(projectId, checked.reason, (record as StandardRecord)["#event_name"]);
      }
      return checked;
    }
    const { uuid, accountId, distinctId } = checked;
    if (uuid !== undefined && !this.#intake.claimUuid(projectId, uuid, steadyMs)) {
      tally.duplicate("uuid");
      return "#uuid";
    }
    const firstCheckId = checked.kind === "event" ? checked.firstCheckId : undefined;
    if (checked.kind === "event" && firstCheckId !== undefined) {
      if (!this.#intake.claimFirstCheck(projectId, checked.name, firstCheckId)) {
        tally.duplicate("first_check_id");
        return "#first_check_id";
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
    if (checked.dropped.length > 0) tally.drop(line, checked.dropped, () => stringifyAnyJson(record));
    return checked;
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

function sourceOf({ projectId, receivedMs, appid }: SpoolLine, record: unknown): RecordSource {
  return { projectId, receivedMs, appid, record };
}

interface StandardRecord {
  readonly "#event_name": string;
}

/** Returns the text of a line, or its bytes if they are not UTF-8. */
function textOrBytes(line: Buffer): string | Uint8Array {
  return isUtf8(line) ? line.toString() : line;
}
