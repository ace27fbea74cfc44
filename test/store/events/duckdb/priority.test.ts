import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lowerPoolPriority, type Threads } from "../../../../store/events/duckdb/priority.ts";
import { createDuckDbWorld } from "./duckdb-world.ts";

const script = join(import.meta.dirname, "pool-priority.ts");

/** Names of threads of a process with an open store, with their niceness, each once. */
async function openedWith(niceness: number): Promise<ReadonlySet<string>> {
  await using world = await createDuckDbWorld();
  const { folder, stagingFolder } = world.options;
  const said = execFileSync(process.execPath, [script, folder, stagingFolder, String(niceness)]);
  const threads = JSON.parse(said.toString()) as readonly (readonly [string, number])[];
  return new Set(threads.map(([name, own]) => `${name} ${own}`));
}

it.runIf(process.platform === "linux")(
  "gives the engine's threads a lower priority than all others",
  async () => {
    const threads = await openedWith(7);
    expect(threads).toContain("libuv-worker 7");
    expect(threads).not.toContain("libuv-worker 0");
    expect(threads).toContainEqual(expect.stringMatching(/^(?:node-)?MainThread 0$/));
  },
);

it.runIf(process.platform === "linux")("leaves all threads as they are unless configured", async () => {
  const threads = await openedWith(0);
  expect([...threads].filter((thread) => !thread.endsWith(" 0"))).toEqual([]);
});

const threads: Threads = { ids: async () => [1, 2], nameOf: async () => "libuv-worker", setNiceness() {} };
const refuse = (): never => {
  throw new Error("EACCES: permission denied");
};

it.each<[string, Partial<Threads>]>([
  ["the system has no list of threads", { ids: async () => refuse() }],
  ["a thread has ended meanwhile", { nameOf: async () => refuse() }],
  ["it is not permitted", { setNiceness: refuse }],
])("goes on when %s", async (_when, fault) => {
  await expect(lowerPoolPriority(10, { ...threads, ...fault })).resolves.toBeUndefined();
});

it("skips a thread which has ended meanwhile", async () => {
  const set: (readonly [number, number])[] = [];
  await lowerPoolPriority(10, {
    ids: async () => [1, 2, 3],
    nameOf: async (id) => (id === 1 ? refuse() : id === 2 ? "libuv-worker" : "MainThread"),
    setNiceness: (id, niceness) => void set.push([id, niceness]),
  });
  expect(set).toEqual([[2, 10]]);
});
