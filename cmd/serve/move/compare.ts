import { createHash } from "node:crypto";
import { exactCountOf } from "../../../base/text/count.ts";
import { dayMs } from "../../../base/time/units.ts";
import type {
  CohortInfo,
  EventStore,
  ProjectStats,
  Scan,
  UserChunk,
  UserScan,
} from "../../../store/events/events.ts";
import { isSame, type Numbers, readNumbers } from "./numbers.ts";
import { allTime, anyEvent, count, daily, eventName, queriesOf, scanOf } from "./queries.ts";

export interface Differences {
  readonly count: number;
  /** What is the same, and what differs, as lines of text. */
  readonly lines: readonly string[];
}

/** Differences of one query that are listed; the others are counted. */
const maxListed = 20;
/** Days of one scan. */
const daysPerScan = 400;
const maxListedUsers = 10_000;

type Compared = readonly [what: string, differences: readonly string[]];

/**
 * Compares two stores: the counts of each project by event and day, its cohorts and users, and a dozen queries over
 * the properties that most of its events have.
 */
export async function compareStores(
  source: EventStore,
  target: EventStore,
  signal: AbortSignal,
): Promise<Differences> {
  const lines: string[] = [];
  let differing = 0;
  const stores = { source, target, signal };
  for (const stats of (await source.stats()).projects) {
    const compared: Compared[] = [];
    for await (const one of compareProject(stores, stats)) compared.push(one);
    const found = compared.filter(([, differences]) => differences.length > 0);
    differing += found.length;
    const name = `project ${stats.projectId}`;
    const same = `${exactCountOf(stats.events + stats.updatableEvents, "event")} and ${exactCountOf(stats.users, "user")}`;
    if (found.length === 0) lines.push(`${name}: ${same}, the same in ${compared.length} comparisons`);
    for (const [what, differences] of found) {
      for (const text of differences.slice(0, maxListed)) lines.push(`${name}: ${what}: ${text}`);
      if (differences.length > maxListed)
        lines.push(
          `${name}: ${what}: and ${exactCountOf(differences.length - maxListed, "more difference")}`,
        );
    }
  }
  return { lines, count: differing };
}

interface Stores {
  readonly source: EventStore;
  readonly target: EventStore;
  readonly signal: AbortSignal;
}

async function* compareProject(stores: Stores, stats: ProjectStats): AsyncGenerator<Compared, void> {
  const { projectId } = stats;
  yield ["counts", await compareStats(stores, stats)];
  yield ["events by name", await compareScans(stores, scanOf(projectId, [count], [eventName], allTime))];
  yield ["events by name and day", await compareDays(stores, stats)];
  yield ["cohorts", await compareCohorts(stores, projectId)];
  yield ["users", await compareUsers(stores, projectId)];
  for (const query of await queriesOf(stores.source, projectId, stores.signal)) {
    if (query.scan !== undefined) yield [query.name, await compareScans(stores, query.scan)];
    if (query.users !== undefined) yield [query.name, await compareLists(stores, query.users)];
  }
}

async function compareStats(
  { source, target }: Stores,
  { projectId, ...stats }: ProjectStats,
): Promise<string[]> {
  const { projects } = await target.stats();
  const other = projects.find((one) => one.projectId === projectId);
  const cohorts = (await source.cohorts(projectId)).length;
  // A project that has nothing but names may be unknown to the target.
  const isEmpty = stats.events + stats.updatableEvents + stats.users + cohorts === 0;
  if (other === undefined) return isEmpty ? [] : ["it is missing"];
  const names = ["events", "updatableEvents", "users", "eventNames", "properties"] as const;
  return names.flatMap((name) =>
    stats[name] === other[name] ? [] : [`${name}: ${stats[name]} before, ${other[name]} now`],
  );
}

async function compareScans({ source, target, signal }: Stores, scan: Scan): Promise<string[]> {
  const before = await readNumbers(source, scan, signal);
  const now = await readNumbers(target, scan, signal);
  return differencesOf(scan, before, now);
}

/** Lists the cells that differ, of groups by their keys. */
function differencesOf(scan: Scan, before: Numbers, now: Numbers): string[] {
  const keys = new Set([...before.keys(), ...now.keys()]);
  return [...keys].flatMap((key) => {
    const [was, is] = [before.get(key) ?? [], now.get(key) ?? []];
    const cells = Array.from({ length: Math.max(was.length, is.length) }, (_, at) => at);
    return cells
      .filter((at) => !isSame(was[at] ?? 0, is[at] ?? 0))
      .map((at) => `${key} ${cellName(scan, at)}: ${was[at] ?? 0} before, ${is[at] ?? 0} now`);
  });
}

/** The cells of a group are, for each measure, the total and the buckets. */
function cellName({ buckets: { localEdges }, measures }: Scan, cell: number): string {
  const measure = Math.floor(cell / localEdges.length);
  const bucket = cell % localEdges.length;
  const when = bucket === 0 ? "in all" : `at ${new Date(localEdges[bucket - 1]!).toISOString()}`;
  return measures.length === 1 ? when : `${when}, ${measures[measure]!.aggregate.kind}`;
}

async function compareDays(
  stores: Stores,
  { projectId, firstDay, lastDay }: ProjectStats,
): Promise<string[]> {
  if (firstDay === undefined || lastDay === undefined) return [];
  const found: string[] = [];
  const [first, last] = [Date.parse(firstDay) / dayMs, Date.parse(lastDay) / dayMs];
  for (let day = first; day <= last; day += daysPerScan) {
    const days = daily(day, Math.min(last + 1, day + daysPerScan));
    found.push(...(await compareScans(stores, scanOf(projectId, [count], [eventName], days))));
  }
  return found;
}

async function compareCohorts({ source, target }: Stores, projectId: number): Promise<string[]> {
  const textOf = ({ kind, name, day, members }: CohortInfo): string =>
    `${kind} ${JSON.stringify(name)} of ${day} with ${exactCountOf(members, "member")}`;
  const before = new Set((await source.cohorts(projectId)).map(textOf));
  const now = new Set((await target.cohorts(projectId)).map(textOf));
  return [
    ...[...before.difference(now)].map((text) => `${text} is missing`),
    ...[...now.difference(before)].map((text) => `${text} was not there before`),
  ];
}

async function compareUsers({ source, target, signal }: Stores, projectId: number): Promise<string[]> {
  const selection = { projectId, where: anyEvent };
  const before = await digest(source.selectUsers(selection, signal));
  const now = await digest(target.selectUsers(selection, signal));
  return describeLists(before, now);
}

async function compareLists({ source, target, signal }: Stores, scan: UserScan): Promise<string[]> {
  const limited = { ...scan, limit: maxListedUsers };
  const before = await digest(source.users(limited, signal));
  const now = await digest(target.users(limited, signal));
  return describeLists(before, now);
}

interface UserDigest {
  readonly users: number;
  readonly sha256: string;
}

async function digest(lists: AsyncIterable<UserChunk>): Promise<UserDigest> {
  const hash = createHash("sha256");
  let users = 0;
  for await (const list of lists) {
    users += list.length;
    for (const { userId, accountId, distinctId, properties } of list) {
      const sorted = Object.entries(properties).toSorted(([a], [b]) => (a < b ? -1 : 1));
      hash.update(JSON.stringify([String(userId), accountId, distinctId, sorted]));
    }
  }
  return { users, sha256: hash.digest("hex") };
}

function describeLists(before: UserDigest, now: UserDigest): string[] {
  if (before.users !== now.users) return [`${before.users} before, ${now.users} now`];
  return before.sha256 === now.sha256 ? [] : ["their ids or properties differ"];
}
