import type { Logger } from "pino";
import { type ServedService, serve } from "../../gateway/methods.ts";
import { StoredEvents } from "../../gen/engage/operations/v1/stored_events_pb.ts";
import { createStoredEvents } from "../../services/operations/stored-events/stored-events.ts";
import type { EventStore } from "../../store/events/events.ts";
import type { Config } from "../config/config.ts";
import { callerOf } from "./gateway-ports.ts";
import type { Gate } from "./lazy.ts";

export interface StoredEventsPorts {
  readonly store: EventStore;
  /** Waits until the schema of the store is known. */
  readonly gate: Gate;
  readonly logger: Logger;
}

/** Creates the service that counts and deletes stored events. Each deletion is logged. */
export function serveStoredEvents(
  { projects }: Config,
  { store, gate, logger }: StoredEventsPorts,
): ServedService {
  const service = createStoredEvents({
    store,
    projects: new Map(
      projects.map(({ id, zone, engine }) => [id, { zone, isStored: engine !== "platform" }]),
    ),
    async ready() {
      await gate();
    },
    callerOf,
    onDeleted: (deletion) => logger.warn(deletion, "events deleted"),
  });
  return serve(StoredEvents, service);
}
