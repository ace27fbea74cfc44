import { createYield, mapYielding, type YieldToEventLoop } from "../../base/async/yield.ts";
import { checkLine, checksumBytes } from "../../base/files/line-checksum.ts";
import type { EventStore } from "../../store/events/events.ts";
import type { RecordChunk, RecordPlace, RecordReader } from "../../store/records/records.ts";
import { comparePlaces } from "./load/places.ts";
import type { Project } from "./projects.ts";
import type { NameRates } from "./record/name-book.ts";
import type { CheckedRecord } from "./record/record.ts";
import { decodeSpoolLineYielding } from "./spool-line.ts";
import { createVerdicts, type Verdicts } from "./verdicts.ts";

/** Records that are on disk and that the store may not have loaded. */
export interface PendingRecords extends Pick<RecordReader, "start" | "end" | "read" | "bytesAfter"> {
  /** Where they begin; changes together with the store's schema. */
  readonly loadedTo: EventStore["loadedTo"];
}

export interface PendingOptions {
  /** Undefined while nothing can be on disk. */
  readonly pending: () => PendingRecords | undefined;
  readonly schema: EventStore["schema"];
  /** How fast new names of a project came up to where the store is; changes together with its schema. */
  readonly rates?: ((projectId: number) => NameRates | undefined) | undefined;
  /** With more that waits, nothing of it is looked at. Default 16 MiB. */
  readonly maxPendingBytes?: number;
}

/** Looks at what waits to be loaded as the load will, in the order of the spool, when a verdict is asked for that may depend on it. */
export interface PendingChecks {
  /** To be called before a line is appended. Disposed of when it is of no interest any more. */
  expect(project: Project, line: Uint8Array): ExpectedLine;
  /** With what all records on disk make known. */
  verdicts(project: Project): Promise<Verdicts>;
}

export interface ExpectedLine extends Disposable {
  /**
   * What the load makes of its records, once it is on disk. Undefined when it
   * has been loaded, or can't be looked at: then the store's types are all that
   * is known.
   */
  checked(): Promise<readonly CheckedRecord[] | undefined>;
}

interface Expected {
  readonly line: Uint8Array;
  checked?: readonly CheckedRecord[];
}

/** How far the records of a project have been looked at. */
interface ProjectWalk {
  readonly project: Project;
  readonly lineHead: Buffer;
  readonly expected: Set<Expected>;
  at: RecordPlace | undefined;
  verdicts: Verdicts;
  /** The walk under way; the next one waits for it. */
  last: Promise<void>;
}

/** About 44,000 records of 12 properties, 0.3 to 0.5 s of processor time. */
const defaultPendingBytes = 16 * 2 ** 20;
/** Others have their turn behind each: about 700 records, 5 to 7 ms. */
const chunkBytes = 256 * 2 ** 10;
const lf = 0x0a;
/** Of a line whose project stands behind its text. */
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
          await inTurn(walk, async () => {
            if (one.checked === undefined) await advance(walk, options);
          });
          return one.checked;
        },
        [Symbol.dispose]: () => void walk.expected.delete(one),
      };
    },
    async verdicts(project) {
      const walk = walkOf(project);
      await inTurn(walk, () => advance(walk, options));
      const { verdicts } = walk;
      return createVerdicts(project, options.schema, verdicts.made(), verdicts.names());
    },
  };
}

/** With nothing but what the store has. */
export function verdictsOf(project: Project, options: Pick<PendingOptions, "schema" | "rates">): Verdicts {
  const names = { events: [], rates: options.rates?.(project.id) };
  return createVerdicts(project, options.schema, [], names);
}

/** What can't be read is no reason to fail: the record is kept, and the loader, which reads the same, tells of it. */
function inTurn(walk: ProjectWalk, work: () => Promise<void>): Promise<void> {
  walk.last = walk.last.then(work).catch(() => {});
  return walk.last;
}

/** Looks at what is on disk by now. */
async function advance(walk: ProjectWalk, options: PendingOptions): Promise<void> {
  const records = options.pending();
  if (records === undefined) return;
  const end = await records.end();
  const from = placeOf(walk, records, options) ?? (await records.start());
  if ((await records.bytesAfter(from)) > (options.maxPendingBytes ?? defaultPendingBytes)) return;
  const yieldToEventLoop = createYield();
  for (let at = from; comparePlaces(at, end) < 0; at = placeOf(walk, records, options) ?? at) {
    const chunk = await records.read(at, chunkBytes);
    if (chunk === undefined) return;
    const now = placeOf(walk, records, options);
    // Loaded in the meantime: the schema has it, and more than these lines would know.
    if (now !== undefined && comparePlaces(now, at) > 0) continue;
    await checkLines(walk, chunk, yieldToEventLoop);
    walk.at = chunk.to;
  }
}

/** Where looking goes on. Where the store is further, it is from there, with nothing but its schema. */
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

/** Whether a line of the spool is this one, with its checksum or without. */
function isLine(line: Buffer, expected: Uint8Array): boolean {
  if (line.length !== expected.length && line.length !== expected.length + checksumBytes) return false;
  const length = expected.length - 1;
  return line.compare(expected, 0, length, 0, length) === 0;
}

function startsWith(line: Buffer, head: Buffer): boolean {
  return line.length >= head.length && line.compare(head, 0, head.length, 0, head.length) === 0;
}
