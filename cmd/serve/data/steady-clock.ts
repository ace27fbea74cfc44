import { join } from "node:path";
import { openMarkFile } from "../../../base/files/mark-file.ts";
import {
  type ClockMark,
  createPersistentClock,
  type PersistentClockPorts,
  systemPorts,
} from "../../../store/sql/persistent-clock.ts";
import type { Config } from "../../config/config.ts";

/** A clock of the data folder that is never set and continues over restarts. */
export interface SteadyClock extends Disposable {
  /** Milliseconds since 1970, if the system clock was right at first. */
  steadyMs(): number;
  /** Milliseconds by which the system clock was set forward since; 0 for small corrections. */
  driftMs(): number;
}

/** How far a restart of the computer may set the clock back. */
const noteMs = 60_000;
const minDriftMs = 60_000;

/** Opens the clock; its state is one of the marks in the data folder. */
export function openSteadyClock(
  { data }: Pick<Config, "data">,
  ports: PersistentClockPorts = systemPorts(),
): SteadyClock {
  const file = openMarkFile<ClockMark>(join(data, "marks", "clock.mark"));
  const clock = createPersistentClock(file.found ?? null, ports);
  let notedMs = Number.NEGATIVE_INFINITY;
  const steadyMs = (): number => {
    const nowMs = clock.clockMs();
    if (nowMs - notedMs >= noteMs) {
      notedMs = nowMs;
      file.write(clock.mark());
    }
    return nowMs;
  };
  steadyMs();
  return {
    steadyMs,
    driftMs() {
      const driftMs = Math.round(ports.now() - steadyMs());
      return Math.abs(driftMs) < minDriftMs ? 0 : driftMs;
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}
