import { Pool } from "undici";
import { batchSize, connections, prepareBodies } from "./world.ts";

/** A bare client that only sends prepared bodies with a pool of undici, which has no bookkeeping. */
const [url = "", count = "0", size = String(batchSize), seconds = "3600"] = process.argv.slice(2);
const bodies = await prepareBodies(url, 200, Number(size));
const pool = new Pool(new URL(url).origin, { connections });
const path = new URL(url).pathname;

const begun = performance.now();
const before = process.cpuUsage();
let next = 0;
const work = async (): Promise<void> => {
  while (next < Number(count) && performance.now() - begun < 1_000 * Number(seconds)) {
    const { body, headers } = bodies[next++ % bodies.length]!;
    const response = await pool.request({ method: "POST", path, body, headers });
    await response.body.json();
  }
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
