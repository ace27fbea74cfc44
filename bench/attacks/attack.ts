import { attacks } from "./attacks.ts";

/** Runs one attack for this many seconds in a process of its own. */
const [name = "", port, seconds] = process.argv.slice(2);
const attack = attacks[name];
if (attack === undefined)
  throw new Error(`"${name}" is not an attack, valid are ${Object.keys(attacks).join(", ")}`);
// The timer of a signal alone does not keep a process running.
setInterval(() => undefined, 1_000);
await attack(Number(port), AbortSignal.timeout(Number(seconds) * 1_000));
process.exit();
