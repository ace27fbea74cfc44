import { isUtf8 } from "node:buffer";
import { parseWithBigInts } from "../../../base/json/exact-numbers.ts";
import type { SpoolPlace } from "../../../store/events/events.ts";
import { type Intake, IntakeUnavailableError } from "../../../store/intake/intake.ts";
import { stringifyAnyJson } from "../exact-json.ts";
import { checkRecord } from "../record/check-record.ts";
import type { CheckedRecord } from "../record/record.ts";
import type { ShapedEvent } from "../shape/record-shapes.ts";
import type { ShapedLine } from "../shape/shaped-lines.ts";
import type { SpoolLine } from "../spool-line.ts";
import { createSampler, outcomeOf, type RepeatedId, refusedAs, type Sampler } from "../watch/sample.ts";
import type { RecordSource } from "../watch/seen-record.ts";
import type { LoadRefusal, PreparedBatch, PrepareTask } from "./prepared.ts";
import type { ProjectState } from "./project-state.ts";
import { type EventDivision, ProjectFiles } from "./rows/row-files.ts";
import { writeSeen, writeUpdate, writeUser } from "./rows/rows.ts";
import { Tally } from "./tally.ts";
import type { TaskLine } from "./task-lines.ts";

export interface RowsOptions extends EventDivision {
  readonly intake: Intake;
  /** Folder of the files of prepared rows, which exists. */
  readonly folder: string;
}

/** Prepares one batch. */
export class BatchPreparer implements Disposable {
  readonly tally = new Tally();
  readonly #intake: Intake;
  readonly #projects: ReadonlyMap<number, ProjectState>;
  readonly #files = new Map<number, ProjectFiles>();
  readonly #folder: string;
  readonly #division: EventDivision;
  readonly #from: SpoolPlace;
  readonly #sampler: Sampler | undefined;
  #firstReceivedMs = Number.POSITIVE_INFINITY;

  constructor(
    { intake, folder, ...division }: RowsOptions,
    projects: ReadonlyMap<number, ProjectState>,
    { from, watched }: PrepareTask,
  ) {
    this.#intake = intake;
    this.#projects = projects;
    this.#folder = folder;
    this.#division = division;
    this.#from = from;
    this.#sampler = createSampler(watched);
  }

  /** @param buffer the bytes of all lines */
  add({ content, bytes }: TaskLine, buffer: Buffer): void {
    if (content === "skipped") {
      this.#refuseLine("internal", "the thread that prepares records ended twice at this line", bytes);
    } else if (content === "damaged") {
      this.#refuseLine("bad_line", "line of the spool is damaged", bytes);
    } else {
      this.#addRecords(content, buffer);
    }
  }

  #refuseLine(reason: LoadRefusal, message: string, line: Buffer): void {
    this.tally.records++;
    this.tally.refuse(reason, message, textOrBytes(line), undefined);
  }

  #addRecords(line: SpoolLine | ShapedLine, buffer: Buffer): void {
    const { projectId, receivedMs, steadyMs = receivedMs, appid, records } = line;
    this.#firstReceivedMs = Math.min(this.#firstReceivedMs, receivedMs);
    const state = this.#projects.get(projectId);
    state?.names.begin(appid, steadyMs);
    this.tally.records += records.length;
    if ("shapes" in line) {
      this.#addShaped(state!, line, buffer);
      return;
    }
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

  #addShaped(state: ProjectState, line: ShapedLine, buffer: Buffer): void {
    const { shapes, records } = line;
    for (const { event, json, start, end } of records) {
      if (event === undefined) {
        const stored = this.#add(state, line, json);
        const isPlain = typeof stored === "object" && stored.kind === "event" && stored.dropped.length === 0;
        if (isPlain) shapes.learn(buffer.subarray(start, end));
        continue;
      }
      try {
        this.#storeShaped(line, event, buffer);
      } catch (error) {
        const record = parseWithBigInts(buffer.toString("utf8", start, end));
        this.#refuseFailed(error, line, record);
      }
    }
  }

  /** Returns undefined for a record that could not be prepared. */
  #add(state: ProjectState, line: LineHead, record: unknown): CheckedRecord | RepeatedId | undefined {
    try {
      const stored = this.#store(state, line, record);
      this.#sampler?.add(sourceOf(line, record), outcomeOf(stored));
      return stored;
    } catch (error) {
      const message = this.#refuseFailed(error, line, record);
      this.#sampler?.add(sourceOf(line, record), refusedAs({ reason: "internal", field: "", message }));
      return undefined;
    }
  }

  /** Returns the message. @throws an error of the disk, which is not a fault of the record */
  #refuseFailed(error: unknown, line: LineHead, record: unknown): string {
    if (error instanceof IntakeUnavailableError || (error instanceof Error && "syscall" in error))
      throw error;
    this.#files.get(line.projectId)?.undoLines();
    const message = `cannot be prepared: ${String(error)}`;
    this.tally.refuse("internal", message, stringifyAnyJson(record), line);
    return message;
  }

  /** Returns the verdict, or the id of a stored record that this one repeats. */
  #store(state: ProjectState, line: LineHead, record: unknown): CheckedRecord | RepeatedId {
    const { projectId, receivedMs } = line;
    const checked = checkRecord(record, state.rules, receivedMs);
    const { tally } = this;
    if (checked.kind === "refused") {
      tally.refuse(checked.reason, checked.message, stringifyAnyJson(record), line);
      if (checked.reason === "event_limit" || checked.reason === "name_rate") {
        tally.limit(projectId, checked.reason, (record as StandardRecord)["#event_name"]);
      }
      return checked;
    }
    if (!this.#claimUuid(line, checked.uuid)) return "#uuid";
    const firstCheckId = checked.kind === "event" ? checked.firstCheckId : undefined;
    if (checked.kind === "event" && firstCheckId !== undefined) {
      if (!this.#intake.claimFirstCheck(projectId, checked.name, firstCheckId)) {
        tally.duplicate("first_check_id");
        return "#first_check_id";
      }
    }
    const files = this.#filesOf(projectId);
    const userId = this.#userOf(files, projectId, checked);
    if (checked.kind === "event") {
      files.eventsOf(checked.timeMs, userId).write(state, checked, userId, receivedMs);
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

  #storeShaped(line: ShapedLine, event: ShapedEvent, buffer: Buffer): void {
    const { projectId, receivedMs, shapes } = line;
    if (!this.#claimUuid(line, event.uuid)) return;
    const files = this.#filesOf(projectId);
    const userId = this.#userOf(files, projectId, event);
    const columns = files.columnsOf(event.timeMs, userId);
    columns.writeShaped({ event, values: shapes.values, buffer, userId, receivedMs });
    this.tally.events++;
  }

  /** Returns false for a repeated uuid. */
  #claimUuid({ projectId, receivedMs, steadyMs = receivedMs }: LineHead, uuid: string | undefined): boolean {
    if (uuid === undefined || this.#intake.claimUuid(projectId, uuid, steadyMs)) return true;
    this.tally.duplicate("uuid");
    return false;
  }

  /** Returns the user of a record, and writes it if it is new. */
  #userOf(
    files: ProjectFiles,
    projectId: number,
    { accountId, distinctId }: Pick<ShapedEvent, "accountId" | "distinctId">,
  ): number {
    const { userId, isNew, ownsVisitor } = this.#intake.resolve(projectId, accountId, distinctId);
    if (isNew) writeSeen(files.seen, userId, accountId, ownsVisitor ? distinctId : undefined);
    return userId;
  }

  #filesOf(projectId: number): ProjectFiles {
    const known = this.#files.get(projectId);
    if (known !== undefined) return known;
    const { number, offset } = this.#from;
    const files = new ProjectFiles(this.#folder, `${number}-${offset}`, projectId, this.#division);
    this.#files.set(projectId, files);
    return files;
  }
}

/** What a line says of all its records. */
type LineHead = Omit<SpoolLine, "records">;

function sourceOf({ projectId, receivedMs, appid }: LineHead, record: unknown): RecordSource {
  return { projectId, receivedMs, appid, record };
}

interface StandardRecord {
  readonly "#event_name": string;
}

/** Returns the text of a line, or its bytes if they are not UTF-8. */
function textOrBytes(line: Buffer): string | Uint8Array {
  return isUtf8(line) ? line.toString() : line;
}
