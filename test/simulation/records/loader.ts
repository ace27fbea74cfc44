import type { Ledger } from "../../../store/events/ledger/ledger.ts";
import type { SpoolPlace } from "../../../store/events/load.ts";
import type { Intake } from "../../../store/intake/intake.ts";
import type { Lease, Leases } from "../../../store/leases/leases.ts";
import type { RecordChunk, RecordReader } from "../../../store/records/records.ts";
import type { Replica } from "../replica.ts";
import type { EventOfUser, EventTables } from "./event-tables.ts";
import { eventName, identityOf, keysOf, recordedEvent } from "./identities.ts";

export interface LoaderPorts {
  readonly replica: Replica;
  readonly leases: Leases;
  readonly ledger: Pick<Ledger, "call">;
  readonly reader: RecordReader;
  readonly openIntake: (lease: Lease) => Intake;
  readonly tables: EventTables;
  readonly project: number;
  readonly canFail: () => boolean;
  /** Called before the loader acts under a lease that it takes for its own. */
  readonly acts: (lease: Lease) => void;
  /** A fault of the loader itself: it releases the records before they are loaded. */
  readonly isReleasedEarly: boolean;
}

/** The name of the lease and of the spool of a project. */
export const spoolName = (project: number): string => `load/${project}`;

/** Records of one batch, in bytes. */
const maxBytes = 80;
const pollMs = 150;

/** Loads the records of a project whenever this replica holds its lease. */
export async function runLoader(ports: LoaderPorts): Promise<never> {
  const { replica, leases, project } = ports;
  const forever = new AbortController().signal;
  for (;;) {
    try {
      await using lease = await leases.acquire(spoolName(project), forever);
      await loadUnder(ports, lease);
    } catch {
      await replica.clock.wait(pollMs, forever);
    }
  }
}

/** A batch whose claims are being committed. */
interface WrittenBatch {
  readonly events: readonly EventOfUser[];
  readonly to: SpoolPlace;
  readonly committed: Promise<void>;
}

/**
 * Prepares a batch while the claims of the one before are committed, and loads that one meanwhile.
 * @throws LeaseLostError, or an error of a store
 */
async function loadUnder(ports: LoaderPorts, lease: Lease): Promise<void> {
  const { ledger, reader, project, replica } = ports;
  const intake = ports.openIntake(lease);
  const loadedTo = await ledger.call("loadedTo", spoolName(project));
  await intake.rewind(loadedTo);
  let from = loadedTo ?? (await reader.start());
  let written: WrittenBatch | undefined;
  for (;;) {
    lease.throwIfLost();
    const chunk = await reader.read(from, maxBytes);
    if (chunk === undefined && written === undefined) {
      await replica.clock.wait(pollMs, lease.signal);
      continue;
    }
    const events = chunk && (await prepareChunk(ports, lease, intake, { ...chunk, from }));
    await written?.committed;
    const committed = chunk && intake.commit(chunk.to);
    committed?.catch(() => {});
    if (written !== undefined)
      await reader.release(await loadBatch(ports, lease, written.events, written.to));
    written = chunk && { events: events!, to: chunk.to, committed: committed! };
    from = chunk?.to ?? from;
  }
}

async function prepareChunk(
  { acts, isReleasedEarly, project, reader }: LoaderPorts,
  lease: Lease,
  intake: Intake,
  { from, to, bytes }: RecordChunk,
): Promise<readonly EventOfUser[]> {
  const ids = Buffer.from(bytes).toString().trimEnd().split("\n");
  lease.throwIfLost();
  acts(lease);
  if (isReleasedEarly) await reader.release(to);
  await intake.begin(from, keysOf(project, ids));
  return ids.flatMap((id) => prepare(intake, project, id));
}

const dayMs = 86_400_000;

/**
 * Returns the event of a record, with what is new of its user; nothing for a record which was received before, or whose
 * first check was.
 */
function prepare(intake: Intake, project: number, id: string): readonly EventOfUser[] {
  const { account, visitor, firstCheck } = identityOf(id);
  // Records were received on some days, whose tables are created at different times.
  if (!intake.claimUuid(project, id, (20_000 + (id.length % 3)) * dayMs)) return [];
  if (firstCheck !== undefined && !intake.claimFirstCheck(project, eventName, firstCheck)) return [];
  const user = intake.resolve(project, account, visitor);
  const event = recordedEvent(id, user);
  return [user.isNew ? event : { ...event, reports: [] }];
}

async function loadBatch(
  { ledger, tables, project, canFail }: LoaderPorts,
  lease: Lease,
  events: readonly EventOfUser[],
  to: SpoolPlace,
): Promise<SpoolPlace> {
  const spool = spoolName(project);
  const fence = { name: lease.name, token: lease.token };
  const { number, loadedTo } = await ledger.call("beginBatch", { spool, to, projects: [project], fence });
  if (number === undefined) return loadedTo!;
  try {
    await tables.insert(number, events, canFail());
    const state = await ledger.call("readState", project);
    const known = state?.events ?? [];
    const names = [...new Set(events.map(({ id }) => eventOf(id)))].filter(
      (name) => !known.some((one) => one.name === name),
    );
    const newEvents = names.map((name, at) => ({ name, number: known.length + at + 1 }));
    const loaded = { projectId: project, newEvents, newProperties: [], days: [[1, events.length]] as const };
    await ledger.call("completeBatch", { number, spool, to, fence, projects: [loaded] });
  } catch (error) {
    await ledger.call("abandonBatch", number).catch(() => undefined);
    throw error;
  }
  return to;
}

/** The name of a record's event: there are a few. */
const eventOf = (id: string): string => `event${id.length % 3}${id.at(-1)}`;
