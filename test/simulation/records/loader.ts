import type { Ledger } from "../../../store/events/ledger/ledger.ts";
import type { SpoolPlace } from "../../../store/events/load.ts";
import type { Intake } from "../../../store/intake/intake.ts";
import type { Lease, Leases } from "../../../store/leases/leases.ts";
import type { RecordReader } from "../../../store/records/records.ts";
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

/** @throws LeaseLostError, or an error of a store */
async function loadUnder(ports: LoaderPorts, lease: Lease): Promise<void> {
  const { ledger, reader, project, replica } = ports;
  const intake = ports.openIntake(lease);
  let loadedTo = await ledger.call("loadedTo", spoolName(project));
  await intake.rewind(loadedTo);
  for (;;) {
    lease.throwIfLost();
    const from = loadedTo ?? (await reader.start());
    const chunk = await reader.read(from, maxBytes);
    if (chunk === undefined) {
      await replica.clock.wait(pollMs, lease.signal);
      continue;
    }
    const ids = Buffer.from(chunk.bytes).toString().trimEnd().split("\n");
    lease.throwIfLost();
    ports.acts(lease);
    if (ports.isReleasedEarly) await reader.release(chunk.to);
    await intake.begin(from, keysOf(project, ids));
    const events = ids.flatMap((id) => prepare(intake, project, id));
    await intake.commit(chunk.to);
    loadedTo = await loadBatch(ports, lease, events, chunk.to);
    await reader.release(loadedTo);
  }
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
