import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Lease, type Leases, LeasesUnavailableError } from "../../../store/leases/leases.ts";
import { migrate, openPostgresLeases } from "../../../store/leases/postgres/open.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";
import type { CounterLine } from "./counter.ts";

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const never = new AbortController().signal;
const timeout = 60_000;

async function freshSchema(): Promise<string> {
  const schema = `leases_${++schemas}`;
  await migrate(server, schema);
  return schema;
}

async function openFresh(leaseMs: number): Promise<Leases> {
  return await openPostgresLeases({ url: server.url, schema: await freshSchema(), leaseMs });
}

describe("a store of leases", () => {
  it("is migrated once, by one of several which try", async () => {
    const migrated = await Promise.all(Array.from({ length: 5 }, () => migrate(server, "fresh")));
    expect(migrated.map(({ from }) => from).toSorted()).toEqual([0, 1, 1, 1, 1]);
  });

  it("that was never migrated is refused", async () => {
    await expect(openPostgresLeases({ url: server.url, schema: "never" })).rejects.toMatchObject({
      name: "LeasesOpenError",
      message: 'lease store schema "never" has version 0, this program needs 1: run engage migrate',
    });
  });

  it("whose server does not answer is reported", async () => {
    const url = "postgresql://engage@127.0.0.1:1/postgres";
    await expect(openPostgresLeases({ url, schema: "any" })).rejects.toMatchObject({
      name: "LeasesUnavailableError",
    });
  });
});

describe("a server that goes away", () => {
  it("ends leases in their time, and gives them again when it is back", async () => {
    await using leases = await openFresh(2_000);
    const lease = await leases.acquire("load", never);
    await server.kill();
    await vi.waitUntil(() => lease.signal.aborted, { timeout });
    expect(lease.signal.reason).toMatchObject({
      name: "LeaseLostError",
      message: expect.stringContaining(
        'lease "load" with token 1 was not renewed in time: lease store database: ',
      ),
    });
    await expect(leases.acquire("load", never)).rejects.toMatchObject({ name: "LeasesUnavailableError" });
    await server.start();
    expect((await leases.acquire("load", never)).token).toBe(2);
  });

  it("keeps a lease which is renewed after a restart", async () => {
    await using leases = await openFresh(30_000);
    const lease = await leases.acquire("load", never);
    await server.kill();
    await server.start();
    const untilMs = server.query(`SELECT until_ms FROM leases_${schemas}.leases`);
    await vi.waitUntil(() => server.query(`SELECT until_ms FROM leases_${schemas}.leases`) !== untilMs, {
      timeout,
    });
    lease.throwIfLost();
  });

  it("wakes a waiting process after its connection for notifications was cut", async () => {
    const schema = await freshSchema();
    await using a = await openPostgresLeases({ url: server.url, schema, leaseMs: 600_000 });
    await using b = await openPostgresLeases({ url: server.url, schema, leaseMs: 600_000 });
    const lease = await a.acquire("load", never);
    const waiting = b.acquire("load", never);
    const listening = `FROM pg_stat_activity WHERE query LIKE 'LISTEN "${schema}%'`;
    await vi.waitUntil(() => server.query(`SELECT count(*) ${listening}`) === "2", { timeout });
    server.query(`SELECT pg_terminate_backend(pid) ${listening}`);
    await lease.release();
    expect((await waiting).token).toBe(2);
  });
});

describe("processes which share a lease", () => {
  interface Counter {
    readonly process: ChildProcess;
    readonly lines: CounterLine[];
  }

  function startCounter(schema: string): Counter {
    const file = new URL("./counter.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, [file, server.url, schema], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines: CounterLine[] = [];
    createInterface({ input: child.stdout }).on("line", (line) =>
      lines.push(JSON.parse(line) as CounterLine),
    );
    return { process: child, lines };
  }

  /** Acquires the lease when the server has ended the transaction in which its holder may be stopped. */
  async function acquireAnyhow(leases: Leases): Promise<Lease> {
    for (;;) {
      try {
        return await leases.acquire("counter", never);
      } catch (error) {
        if (!(error instanceof LeasesUnavailableError)) throw error;
      }
    }
  }

  async function kill(counter: Counter): Promise<void> {
    const ended = once(counter.process, "close");
    counter.process.kill("SIGKILL");
    await ended;
  }

  it("act under it one at a time while they are stopped, continued and killed", async () => {
    const schema = await freshSchema();
    server.query(`CREATE TABLE ${schema}.lease_counter AS SELECT 0::bigint AS n`);
    const all = [startCounter(schema), startCounter(schema), startCounter(schema)];
    const running = [...all];
    const counted = () => all.flatMap(({ lines }) => lines.filter((line) => line.kind === "counted"));
    const more = async () => {
      const enough = counted().length + 30;
      await vi.waitUntil(() => counted().length >= enough, { timeout, interval: 1 });
    };
    for (let round = 0; round < 6; round++) {
      await more();
      const stopped = running[round % running.length]!;
      stopped.process.kill("SIGSTOP");
      await more();
      stopped.process.kill("SIGCONT");
      await kill(running.shift()!);
      const next = startCounter(schema);
      all.push(next);
      running.push(next);
    }
    await Promise.all(running.map(kill));
    const ordered = counted().toSorted((a, b) => a.n - b.n);
    expect(new Set(ordered.map(({ n }) => n)).size).toBe(ordered.length);
    expect(ordered.map(({ token }) => token)).toEqual(
      ordered.map(({ token }) => token).toSorted((a, b) => a - b),
    );
    const n = Number(server.query(`SELECT n FROM ${schema}.lease_counter`));
    // A process which was killed may have counted without saying so.
    expect(n).toBeGreaterThanOrEqual(ordered.at(-1)!.n);
    expect(n).toBeLessThanOrEqual(ordered.length + all.length);
  });

  it("lose it when they are stopped, and find so at once when they continue", async () => {
    const schema = await freshSchema();
    server.query(`CREATE TABLE ${schema}.lease_counter AS SELECT 0::bigint AS n`);
    const first = startCounter(schema);
    await vi.waitUntil(() => first.lines.length > 0, { timeout });
    // Stopped until it holds the lease at that moment, which another process then takes.
    await using other = await openPostgresLeases({ url: server.url, schema, leaseMs: 300 });
    for (let isLost = false; !isLost; ) {
      const before = first.lines.length;
      first.process.kill("SIGSTOP");
      const lease = await acquireAnyhow(other);
      first.process.kill("SIGCONT");
      await lease.release();
      await vi.waitUntil(() => first.lines.length > before + 1, { timeout });
      isLost = first.lines.some(({ kind }) => kind === "lost");
    }
    await kill(first);
  });
});
