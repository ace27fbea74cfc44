import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type { Cluster } from "../cluster.ts";

/** Reads what must never go back, again and again. */
export interface Watermarks {
  readonly faults: readonly string[];
  /** The number of different watermarks. */
  readonly moves: number;
  /** The token of the lease of the loader. */
  readonly token: number;
  readonly ended: Promise<void>;
}

const pauseMs = 20;

interface Marks {
  readonly watermark: number;
  readonly place: number;
  readonly token: number;
}

export function watchWatermarks(
  { postgres }: Pick<Cluster, "postgres">,
  project: number,
  stop: AbortSignal,
): Watermarks {
  const faults: string[] = [];
  let last: Marks = { watermark: 0, place: 0, token: 0 };
  let moves = 0;
  function compare(marks: Marks): void {
    for (const name of ["watermark", "place", "token"] as const)
      if (marks[name] < last[name]) faults.push(`the ${name} ${marks[name]} follows ${last[name]}`);
    if (marks.watermark > last.watermark) moves++;
    last = marks;
  }
  async function readUntilLost(): Promise<void> {
    const client = new Client({ connectionString: postgres.url });
    client.on("error", () => {});
    try {
      await client.connect();
      while (!stop.aborted) {
        compare(await readMarks(client, project));
        await sleep(pauseMs);
      }
    } finally {
      await client.end().catch(() => {});
    }
  }
  async function watch(): Promise<void> {
    // The server may be unavailable.
    while (!stop.aborted) await readUntilLost().catch(() => sleep(pauseMs));
  }
  const ended = watch();
  return {
    faults,
    get moves() {
      return moves;
    },
    get token() {
      return last.token;
    },
    ended,
  };
}

async function readMarks(client: Client, project: number): Promise<Marks> {
  const { rows } = await client.query(
    `SELECT coalesce((SELECT watermark FROM engage.ledger_projects WHERE project = $1), 0) AS watermark,
       coalesce((SELECT file_number * 4294967296 + file_offset FROM engage.ledger_spools
         WHERE spool = $2), 0) AS place,
       coalesce((SELECT token FROM engage.leases WHERE name = 'load/' || $2), 0) AS token`,
    [project, String(project)],
  );
  const { watermark, place, token } = rows[0] as Record<keyof Marks, string>;
  return { watermark: Number(watermark), place: Number(place), token: Number(token) };
}
