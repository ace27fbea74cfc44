import { parseArgs } from "node:util";
import { measureAudience } from "./audience.ts";
import { measureMembers } from "./members.ts";
import { measureRates } from "./rate.ts";
import { measureThroughput } from "./throughput.ts";

/**
 * Measures pushes: many recipients without a limit, rate limits, and audiences from the event store. One part:
 * `node bench/channel/run.ts --part rate`.
 */
const { values } = parseArgs({
  options: {
    part: { type: "string", multiple: true, default: ["throughput", "rate", "audience", "members"] },
    recipients: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "10" },
  },
});
if (values.part.includes("throughput")) {
  await measureThroughput(Number(values.recipients), Number(values.rounds));
}
if (values.part.includes("rate")) await measureRates([1, 10, 1_000, 10_000], Number(values.seconds));
if (values.part.includes("audience")) await measureAudience(200_000);
if (values.part.includes("members")) await measureMembers(Number(values.recipients), Number(values.rounds));
