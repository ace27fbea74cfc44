import { createYield, mapYielding, type YieldToEventLoop } from "../../base/async/yield.ts";
import { checkLine, checksumBytes } from "../../base/files/line-checksum.ts";
import type { EventStore } from "../../store/events/events.ts";
import type { RecordChunk, RecordPlace, RecordReader } from "../../store/records/records.ts";
import { comparePlaces } from "./load/prepared.ts";
import type { Project } from "./projects.ts";
import type { NameRates } from "./record/name-book.ts";
import type { CheckedRecord } from "./record/record.ts";
import { decodeSpoolLineYielding } from "./spool-line.ts";
import { createVerdicts, type Verdicts } from "./verdicts.ts";

/**
 * Records that are on disk and that the store may not have loaded.
 *
 * Verdicts of Track and debug calls foretell the result of the loader. Types in the store never change, so a verdict
 * that depends only on them is final (`areFinal`) and nothing is read here; that is the usual case. A record with a new
 * property or event name depends on earlier records that are acknowledged but not loaded: one of them may fix another
 * type, or use up the limit of names. The loader cannot trust a mark on the checked line instead: calls check at the
 * same time, the order of their lines is known only after the append, and lines of `/sync_server` are not checked at
 * all but define properties too. With a mark, a caller would read "accepted" for a value that is then dropped, or
 * "may lose new properties" for one that is stored; both change the contract. So the lines that wait are checked here
 * as the loader will, in their order, each once and at most `maxPendingBytes`.
 */
export interface PendingRecords extends Pick<RecordReader, "start" | "end" | "read" | "bytesAfter"> {
  /** Their beginning, which changes together with the store's schema. */
  readonly loadedTo: EventStore["loadedTo"];
}

export interface PendingOptions {
  /** Undefined before the spool is open. */
  readonly pending: (projectId: number) => PendingRecords | undefined;
  readonly schema: EventStore["schema"];
  /** Rates of new names of a project in the loaded records, which change together with the schema. */
  readonly rates?: ((projectId: number) => NameRates | undefined) | undefined;
  /** Waiting records are not checked if they have more bytes than this. Default 16 MiB. */
  readonly maxPendingBytes?: number;
}

/** Checks the records that wait to be loaded, in the order of the spool, when a verdict may depend on them. */
export interface PendingChecks {
  /** Registers a line before it is appended. The result must be disposed of. */
  expect(project: Project, line: Uint8Array): ExpectedLine;
  /** Returns verdicts that include the types and names of all records on disk. */
  verdicts(project: Project): Promise<Verdicts>;
}

export interface ExpectedLine extends Disposable {
  /**
   * Foretells the result of the loader for the records of the line after it is on disk. Undefined if the line is loaded
   * already or cannot be checked; then only the store's types are known.
   */
  checked(): Promise<readonly CheckedRecord[] | undefined>;
}

interface Expected {
  readonly line: Uint8Array;
  checked?: readonly CheckedRecord[];
}

/** The progress of checking the records of a project. */
interface ProjectWalk {
  readonly project: Project;
  readonly lineHead: Buffer;
  readonly expected: Set<Expected>;
  at: RecordPlace | undefined;
  verdicts: Verdicts;
  /** The running check; the next one waits for it. */
  last: Promise<void>;
}

/** About 44,000 records of 12 properties, 0.3 to 0.5 s of processor time. */
const defaultPendingBytes = 16 * 2 ** 20;
/** Bytes between two yields: about 700 records, 5 to 7 ms. */
const chunkBytes = 256 * 2 ** 10;
const lf = 0x0a;
/** The head of a line whose project follows its text. */
const rawHead = Buffer.from('{"b":');

export function createPendingChecks(options: PendingOptions): PendingChecks {
  const walks = new Map<number, ProjectWalk>();
  const walkOf = (project: Project): ProjectWalk => {
    const known = walks.get(project.id);
    if (known !== undefined) return known;
    const walk: ProjectWalk = {
      project,
      lineHead: Buffer.from(`{"p":${project.id},`),
      expected: new Set(),
      at: undefined,
      verdicts: verdictsOf(project, options),
      last: Promise.resolve(),
    };
    walks.set(project.id, walk);
    return walk;
  };
  return {
    expect(project, line) {
      const walk = walkOf(project);
      const one: Expected = { line };
      walk.expected.add(one);
      return {
        async checked() {
          await runExclusively(walk, async () => {
            if (one.checked === undefined) await advance(walk, options);
          });
          return one.checked;
        },
        [Symbol.dispose]: () => void walk.expected.delete(one),
      };
    },
    async verdicts(project) {
      const walk = walkOf(project);
      await runExclusively(walk, () => advance(walk, options));
      const { verdicts } = walk;
      return createVerdicts(project, options.schema, verdicts.made(), verdicts.names());
    },
  };
}

/** Creates verdicts from the store's types only. */
export function verdictsOf(project: Project, options: Pick<PendingOptions, "schema" | "rates">): Verdicts {
  const names = { events: [], rates: options.rates?.(project.id) };
  return createVerdicts(project, options.schema, [], names);
}

/**
 * Runs checks one after the other. Ignores read errors: the record is on disk, and the loader reports the same error.
 */
function runExclusively(walk: ProjectWalk, work: () => Promise<void>): Promise<void> {
  walk.last = walk.last.then(work).catch(() => {});
  return walk.last;
}

/** Checks the records that are on disk now. */
async function advance(walk: ProjectWalk, options: PendingOptions): Promise<void> {
  const records = options.pending(walk.project.id);
  if (records === undefined) return;
  const end = await records.end();
  const from = placeOf(walk, records, options) ?? (await records.start());
  if ((await records.bytesAfter(from)) > (options.maxPendingBytes ?? defaultPendingBytes)) return;
  const yieldToEventLoop = createYield();
  for (let at = from; comparePlaces(at, end) < 0; at = placeOf(walk, records, options) ?? at) {
    const chunk = await records.read(at, chunkBytes);
    if (chunk === undefined) return;
    const now = placeOf(walk, records, options);
    // The store has loaded these lines meanwhile, so its schema has their types.
    if (now !== undefined && comparePlaces(now, at) > 0) continue;
    await checkLines(walk, chunk, yieldToEventLoop);
    walk.at = chunk.to;
  }
}

/** Returns the place of the next check. If the store has loaded more, it starts there with the store's schema. */
function placeOf(
  walk: ProjectWalk,
  { loadedTo }: PendingRecords,
  options: PendingOptions,
): RecordPlace | undefined {
  const loaded = loadedTo();
  if (loaded !== undefined && (walk.at === undefined || comparePlaces(loaded, walk.at) > 0)) {
    walk.at = loaded;
    walk.verdicts = verdictsOf(walk.project, options);
  }
  return walk.at;
}

async function checkLines(
  walk: ProjectWalk,
  chunk: RecordChunk,
  yieldToEventLoop: YieldToEventLoop,
): Promise<void> {
  const { bytes } = chunk;
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(lf, start);
    const line = lines.subarray(start, end);
    const offset = chunk.from.offset + start;
    start = end + 1;
    if (!startsWith(line, walk.lineHead) && !startsWith(line, rawHead)) continue;
    if (checkLine(line, { number: chunk.from.number, offset }) === "damaged") continue;
    const decoded = await decodeSpoolLineYielding(line, yieldToEventLoop);
    if (decoded?.projectId !== walk.project.id) continue;
    const { records, receivedMs, steadyMs, appid } = decoded;
    const { verdicts } = walk;
    const checkOne = (record: unknown): CheckedRecord => verdicts.check(record, receivedMs, appid, steadyMs);
    const checked = await mapYielding(records, checkOne, yieldToEventLoop);
    for (const one of walk.expected) {
      if (!isLine(line, one.line)) continue;
      one.checked = checked;
      walk.expected.delete(one);
      break;
    }
  }
}

/** Reports whether a line of the spool is the expected one, ignoring its checksum. */
function isLine(line: Buffer, expected: Uint8Array): boolean {
  if (line.length !== expected.length && line.length !== expected.length + checksumBytes) return false;
  const length = expected.length - 1;
  return line.compare(expected, 0, length, 0, length) === 0;
}

function startsWith(line: Buffer, head: Buffer): boolean {
  return line.length >= head.length && line.compare(head, 0, head.length, 0, head.length) === 0;
}
