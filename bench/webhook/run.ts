import { parseArgs } from "node:util";
import { measureAccepting } from "./accept.ts";
import { openGenerator } from "./generator.ts";
import { measureMemory } from "./memory.ts";
import { measureSlowTarget } from "./slow-target.ts";

/**
 * Measures webhooks against a bare receiver, beside a slow target, and over time. One part:
 * `node bench/webhook/run.ts --part memory --seconds 600`.
 */
const { values } = parseArgs({
  options: {
    part: { type: "string", multiple: true, default: ["accept", "slow-target", "memory"] },
    rounds: { type: "string", default: "9" },
    seconds: { type: "string", default: "60" },
  },
});
const rounds = Number(values.rounds);
using generator = openGenerator();
if (values.part.includes("accept")) await measureAccepting(generator, rounds);
if (values.part.includes("slow-target")) await measureSlowTarget(generator, Math.min(rounds, 5));
if (values.part.includes("memory")) await measureMemory(generator, Number(values.seconds));
