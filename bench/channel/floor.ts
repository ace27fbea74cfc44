import { Pool } from "undici";
import { batchSize, connections, prepareBodies } from "./world.ts";

/** A bare client that only sends prepared bodies, with `fetch` or with a pool of undici. */
const [url = "", count = "0", kind = "fetch", size = String(batchSize), seconds = "3600"] =
  process.argv.slice(2);
const bodies = await prepareBodies(url, 200, Number(size));
const pool = new Pool(new URL(url).origin, { connections });
const path = new URL(url).pathname;

type Prepared = (typeof bodies)[number];

async function byFetch({ body, headers }: Prepared): Promise<unknown> {
  const response = await fetch(url, { method: "POST", body: body as Uint8Array<ArrayBuffer>, headers });
  return await response.json();
}

async function byPool({ body, headers }: Prepared): Promise<unknown> {
  const { body: response } = await pool.request({ method: "POST", path, body, headers });
  return await response.json();
}

const send = kind === "fetch" ? byFetch : byPool;
const begun = performance.now();
const before = process.cpuUsage();
let next = 0;
const work = async (): Promise<void> => {
  while (next < Number(count) && performance.now() - begun < 1_000 * Number(seconds))
    await send(bodies[next++ % bodies.length]!);
};
await Promise.all(Array.from({ length: connections }, work));
const { user, system } = process.cpuUsage(before);
console.log(
  JSON.stringify({
    seconds: (performance.now() - begun) / 1_000,
    cpuSeconds: (user + system) / 1e6,
    requests: next,
  }),
);
await pool.close();
