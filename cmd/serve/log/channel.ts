import type { Logger } from "pino";
import type { DeliveryObserver } from "../../../services/channel/delivery/observer.ts";
import type { ScheduleObserver } from "../../../services/channel/schedule/scheduler.ts";
import type { Throttle } from "./throttle.ts";

/** Creates observers that log the faults of deliveries and schedules. */
export function createChannelLog(
  logger: Logger,
  throttle: Throttle,
): { readonly delivery: DeliveryObserver; readonly schedule: ScheduleObserver } {
  return {
    delivery: {
      failed(what, error) {
        const line = throttle(`channel ${what}`);
        if (line !== undefined) logger.error({ err: error, what, ...line }, "delivery error, will retry");
      },
      attempted({ channelId, runId, number, outcome, reason, warnings, durationMs, traceId }) {
        if (outcome === "succeeded" && warnings.length === 0) return;
        const line = throttle(`channel ${channelId} ${outcome}`);
        if (line === undefined) return;
        const attempt = { channelId, runId, batch: number, reason, warnings, durationMs };
        const entry = { ...attempt, trace_id: traceId, ...line };
        logger.warn(
          entry,
          outcome === "succeeded" ? "response of the receiver had warnings" : `batch ${outcome}`,
        );
      },
      prepared: (runId) => logger.info({ runId }, "run prepared"),
      refused: (runId, error) => logger.error({ err: error, runId }, "could not prepare run"),
    },
    schedule: {
      taken(taskId, outcome) {
        if (outcome === "begun") logger.info({ taskId }, "scheduled run started");
        else logger.warn({ taskId }, "scheduled time was skipped");
      },
      refused: (taskId, error) => logger.error({ err: error, taskId }, "could not read scheduled task"),
      failed(error) {
        const line = throttle("channel schedule");
        if (line !== undefined) logger.error({ err: error, ...line }, "schedule error, will retry");
      },
    },
  };
}
