import type { Logger } from "pino";
import { maxPropertiesOf } from "../../../services/event/config.ts";
import type { LoadObserver } from "../../../services/event/load/load.ts";
import { EventsMemoryError } from "../../../store/events/events.ts";
import type { Config } from "../../config/config.ts";
import { createThrottle } from "../log/throttle.ts";
import type { EventMetrics } from "../metrics/event.ts";

/**
 * Creates an observer of loading that logs and counts.
 * @param traced called too when records can be queried
 */
export function createLoadReports(
  { events }: Config,
  metrics: EventMetrics,
  logger: Logger,
  traced?: LoadObserver["loaded"],
): LoadObserver {
  const throttle = createThrottle(() => performance.now());
  return {
    loaded(prepared, times) {
      metrics.load.loaded(prepared, times);
      traced?.(prepared, times);
      const lines = prepared.counts.refused.bad_line ?? 0;
      if (lines > 0) logger.error({ lines }, "lines of the spool are damaged and kept as dead letters");
    },
    failed(error, delayMs) {
      metrics.load.failed(error, delayMs);
      const line = throttle("load");
      const advice = error instanceof EventsMemoryError ? ", events.engine.memoryBytes is too small" : "";
      if (line !== undefined)
        logger.error({ err: error, delayMs, ...line }, `could not load events, will retry${advice}`);
    },
    overLimit(project, property) {
      const maxProperties = maxPropertiesOf(events);
      logger.warn(
        { project, property, maxProperties },
        "new properties are dropped: the project has reached events.maxProperties; engage store forget deletes unwanted names",
      );
    },
    limited({ projectId: project, reason, name }) {
      const { maxEventNames, maxNewNamesPerMinute } = events;
      if (reason === "event_limit") {
        const advice = "engage store forget deletes unwanted names";
        logger.warn(
          { project, event: name, maxEventNames },
          `events with new names are refused: the project has reached events.maxEventNames; ${advice}`,
        );
      } else {
        logger.warn(
          { project, name, maxNewNamesPerMinute },
          "new names of events and properties are refused: more than events.maxNewNamesPerMinute within a minute",
        );
      }
    },
  };
}
