import type { Logger } from "pino";
import type { DeliveryObserver } from "../../../services/channel/delivery/observer.ts";
import type { ScheduleObserver } from "../../../services/channel/schedule/scheduler.ts";
import type { Throttle } from "./throttle.ts";

/** Tells a log of what goes wrong between tasks and receivers. */
export function createChannelLog(
  logger: Logger,
  throttle: Throttle,
): { readonly delivery: DeliveryObserver; readonly schedule: ScheduleObserver } {
  return {
    delivery: {
      failed(what, error) {
        const line = throttle(`channel ${what}`);
        if (line !== undefined) logger.error({ err: error, what, ...line }, "delivery is held up");
      },
      attempted({ channelId, runId, number, outcome, reason, warnings, durationMs }) {
        if (outcome === "succeeded" && warnings.length === 0) return;
        const line = throttle(`channel ${channelId} ${outcome}`);
        if (line === undefined) return;
        const entry = { channelId, runId, batch: number, reason, warnings, durationMs, ...line };
        logger.warn(entry, outcome === "succeeded" ? "an answer was not right" : `batch: ${outcome}`);
      },
      prepared: (runId) => logger.info({ runId }, "run is prepared"),
      refused: (runId, error) => logger.error({ err: error, runId }, "run cannot be prepared"),
    },
    schedule: {
      taken(taskId, outcome) {
        if (outcome === "begun") logger.info({ taskId }, "scheduled run begins");
        else logger.warn({ taskId }, "a scheduled time passes without a run");
      },
      refused: (taskId, error) => logger.error({ err: error, taskId }, "scheduled task cannot be read"),
      failed(error) {
        const line = throttle("channel schedule");
        if (line !== undefined) logger.error({ err: error, ...line }, "schedules are held up");
      },
    },
  };
}
