import type { Fault } from "./fault.ts";

/** A fast shutdown, and a crash. */
const signals = ["SIGINT", "SIGKILL"] as const;

export const postgresRestarts: Fault = {
  name: "PostgreSQL restarts and is killed",
  async inject({ postgres }, load) {
    for (const signal of signals) {
      await load.progress();
      await postgres.kill(signal);
      await postgres.start();
    }
    await load.progress();
  },
};
