import { readdirSync, readFileSync } from "node:fs";

/** Where processor time goes while records are loaded. */
export const parts = [
  "main thread",
  "preparing thread",
  "other threads",
  "PostgreSQL",
  "ClickHouse",
] as const;

export type CpuMs = Readonly<Record<(typeof parts)[number], number>>;

export interface Processes {
  readonly replica: number;
  readonly postgres: number;
  readonly shards: readonly number[];
}

/** Returns user and system time so far, in ms. */
export function readCpu({ replica, postgres, shards }: Processes): CpuMs {
  const threads = readdirSync(`/proc/${replica}/task`).map((thread) => {
    const stat = statOf(`/proc/${replica}/task/${thread}`);
    return { isMain: thread === `${replica}`, ...stat };
  });
  const sum = (of: readonly { readonly ms: number }[]): number => of.reduce((all, { ms }) => all + ms, 0);
  const main = sum(threads.filter(({ isMain }) => isMain));
  const preparing = sum(threads.filter(({ name }) => name === "engage-load"));
  return {
    "main thread": main,
    "preparing thread": preparing,
    "other threads": sum(threads) - main - preparing,
    PostgreSQL: treeMs(postgres),
    ClickHouse: sum(shards.map((pid) => statOf(`/proc/${pid}`))),
  };
}

/** Returns the difference for each of some records, in µs. */
export function perRecord(before: CpuMs, after: CpuMs, records: number): CpuMs {
  const entries = parts.map((part) => [part, ((after[part] - before[part]) * 1_000) / records] as const);
  return Object.fromEntries(entries) as unknown as CpuMs;
}

/** Returns the time of a process and its children, of which those that ended count in their parent. */
function treeMs(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  const pids = children === "" ? [] : children.split(" ");
  const { ms, endedMs } = statOf(`/proc/${pid}`);
  return pids.reduce((all, child) => all + statOf(`/proc/${child}`).ms, ms + endedMs);
}

/** Fields 14 to 17 are user and system time of the process, and of its ended children, in ticks of 10 ms. */
function statOf(folder: string): { readonly name: string; readonly ms: number; readonly endedMs: number } {
  let stat: string;
  try {
    stat = readFileSync(`${folder}/stat`, "utf8");
  } catch {
    // It has ended meanwhile.
    return { name: "", ms: 0, endedMs: 0 };
  }
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user = 0, system = 0, ended = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
  return { name, ms: (user + system) * 10, endedMs: (ended + endedSystem) * 10 };
}
