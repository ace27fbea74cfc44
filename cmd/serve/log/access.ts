import type { Logger } from "pino";
import { createAccessLog } from "../../../gateway/access-log.ts";
import type { CallObserver } from "../../../gateway/call/record.ts";
import type { Config } from "../../config/config.ts";

/** The log of calls, whose settings may change while the server runs. */
export interface FollowedAccessLog {
  readonly observer: CallObserver;
  /** Sets the level of the log, and whether calls write lines. */
  follow(config: Pick<Config, "log">): void;
}

export function createFollowedAccessLog(logger: Logger): FollowedAccessLog {
  let current: CallObserver | undefined;
  return {
    observer: {
      started: () => undefined,
      finished: (record) => current?.finished(record),
    },
    follow({ log }) {
      logger.level = log.level;
      // The lines of calls have loggers of their own, which keep the level of their creation.
      current = log.access ? createAccessLog(logger) : undefined;
    },
  };
}
