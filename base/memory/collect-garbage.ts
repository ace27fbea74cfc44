import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let gc: NodeJS.GCFunction | undefined;

/** Returns the collector of garbage of V8 for the calling thread. */
function collector(): NodeJS.GCFunction {
  if (gc === undefined) {
    setFlagsFromString("--expose-gc");
    gc = runInNewContext("gc") as NodeJS.GCFunction;
  }
  return gc;
}

/**
 * Collects garbage of the whole heap and returns free memory to the system.
 * @param flavor `last-resort` also removes compiled code
 */
export async function collectAllGarbage(flavor: "regular" | "last-resort"): Promise<void> {
  await collector()({ type: "major", execution: "async", flavor });
}

/** Collects garbage among young objects. It takes less than a millisecond where few of them are in use. */
export function collectYoungGarbage(): void {
  collector()({ type: "minor" });
}
