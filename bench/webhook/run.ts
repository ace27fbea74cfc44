import { parseArgs } from "node:util";
import { measureAccepting } from "./accept.ts";
import { openGenerator } from "./generator.ts";
import { measureLists } from "./lists.ts";
import { measureMemory } from "./memory.ts";
import { measureSlowTarget } from "./slow-target.ts";

/**
 * Measures webhooks against a bare receiver, beside a slow target, and over time, and the lists of what they brought.
 * One part: `node bench/webhook/run.ts --part memory --seconds 600`, or `--part lists --postgres URL` with the address
 * of an empty database.
 */
const { values } = parseArgs({
  options: {
    part: { type: "string", multiple: true, default: ["accept", "slow-target", "memory", "lists"] },
    rounds: { type: "string", default: "9" },
    seconds: { type: "string", default: "60" },
    deliveries: { type: "string", default: "100000" },
    batch: { type: "string", multiple: true, default: ["50", "1"] },
    postgres: { type: "string" },
  },
});
const rounds = Number(values.rounds);
using generator = openGenerator();
if (values.part.includes("accept")) await measureAccepting(generator, rounds);
if (values.part.includes("slow-target")) await measureSlowTarget(generator, Math.min(rounds, 5));
if (values.part.includes("memory")) await measureMemory(generator, Number(values.seconds));
if (values.part.includes("lists")) {
  for (const perBatch of values.batch.map(Number)) {
    const inbox =
      values.postgres === undefined ? {} : await createSchema(values.postgres, `lists_${perBatch}`);
    await measureLists({ deliveries: Number(values.deliveries), perBatch }, rounds, inbox);
  }
}

/** Creates the tables of an inbox and returns its settings. */
async function createSchema(url: string, schema: string): Promise<object> {
  const { migrate } = await import("../../store/inbox/postgres/open.ts");
  await migrate({ url }, schema);
  return { driver: "postgres", url, schema };
}
