import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Fault } from "./fault.ts";

const shiftMs = 5_000;
const shifted = {
  env: {
    NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, "clock.ts"))}`,
    TEST_CLOCK_MS: String(shiftMs),
  },
};

export const shiftedClock: Fault = {
  name: "the clock of a replica is 5 s ahead",
  async inject({ replicas: [first, second] }, load) {
    await load.progress();
    await second.kill("SIGTERM");
    await second.start(shifted);
    try {
      await load.progress();
      // The replica with the other clock takes over what this one has begun.
      await first.kill();
      await load.progress();
      await first.start();
      await load.progress();
    } finally {
      await second.kill();
      await second.start();
    }
  },
};
