import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import { createErrorMapping } from "../../../base/rpc/map-errors.ts";
import {
  CountEventsResponseSchema,
  DeleteEventsResponseSchema,
  type EventSelection,
  type StoredEvents,
  type UserId,
} from "../../../gen/engage/operations/v1/stored_events_pb.ts";
import { type EventStore, EventsUnavailableError, TooManyEventsError } from "../../../store/events/events.ts";
import { identifierOf, readSelection, type SelectedProject } from "./selection.ts";

/** What was deleted, for the log. It names no user. */
export interface Deletion {
  readonly projectId: number;
  /** Names; empty for all. */
  readonly events: readonly string[];
  /** `yyyy-MM-dd`; empty without a limit. */
  readonly fromDay: string;
  readonly toDay: string;
  /** The number of known users of the selection; undefined when it names none. */
  readonly users: number | undefined;
  /** The number of deleted events. */
  readonly deleted: number;
  /** The key or certificate of the caller; undefined without one. */
  readonly caller: string | undefined;
}

export interface StoredEventsOptions {
  readonly store: Pick<EventStore, "schema" | "findUsers" | "countEvents" | "deleteEvents">;
  /** The projects of the configuration by their ids. */
  readonly projects: ReadonlyMap<number, SelectedProject>;
  /** Waits until the schema of the store is known. */
  readonly ready: () => Promise<void>;
  readonly callerOf: (context: HandlerContext) => string | undefined;
  readonly onDeleted: (deletion: Deletion) => void;
}

const { mapErrors } = createErrorMapping((error) =>
  error instanceof EventsUnavailableError ? "the event store is temporarily unavailable" : undefined,
);

/** The StoredEvents service. `selection.ts` reads what a call selects. */
export function createStoredEvents(options: StoredEventsOptions): ServiceImpl<typeof StoredEvents> {
  const { store, callerOf, onDeleted } = options;
  return {
    countEvents: ({ selection }, { signal }) =>
      mapErrors(async () => {
        const { selected, unknownUsers } = await select(options, selection, signal);
        const counts = await store.countEvents(selected, signal);
        return create(CountEventsResponseSchema, {
          count: BigInt(counts.reduce((sum, { records }) => sum + records, 0)),
          events: counts.map(({ name, records }) => ({ event: name, count: BigInt(records) })),
          unknownUsers,
        });
      }),

    deleteEvents: ({ selection, maxEvents, all }, context) =>
      mapErrors(async () => {
        if (maxEvents < 1n) refuseField("max_events", `is ${maxEvents}, valid are numbers from 1 on`);
        if (selection !== undefined && isEverything(selection) && !all)
          refuseField("all", "is not set, and the selection has nothing but the project");
        const { selected, unknownUsers } = await select(options, selection, context.signal);
        const deleted = await deleteSelected(options, selected, Number(maxEvents));
        const { fromDay, toDay } = selection!;
        const { projectId, events = [], userIds } = selected;
        const caller = callerOf(context);
        onDeleted({ projectId, events, fromDay, toDay, users: userIds?.length, deleted, caller });
        return create(DeleteEventsResponseSchema, { deleted: BigInt(deleted), unknownUsers });
      }),
  };
}

async function deleteSelected(
  { store }: StoredEventsOptions,
  selected: Selected["selected"],
  maxEvents: number,
): Promise<number> {
  try {
    return await store.deleteEvents(selected, maxEvents);
  } catch (error) {
    if (!(error instanceof TooManyEventsError)) throw error;
    const message = `${error.message}: nothing is deleted, count them again`;
    throw new ConnectError(message, Code.FailedPrecondition);
  }
}

function isEverything({ events, fromDay, toDay, users }: EventSelection): boolean {
  return events.length === 0 && fromDay === "" && toDay === "" && users.length === 0;
}

interface Selected {
  readonly selected: Parameters<EventStore["deleteEvents"]>[0];
  readonly unknownUsers: UserId[];
}

/** Reads a selection and finds its users. */
async function select(
  { store, projects, ready }: StoredEventsOptions,
  selection: EventSelection | undefined,
  signal: AbortSignal,
): Promise<Selected> {
  if (selection === undefined) refuseField("selection", "is required, and its project_id");
  await ready();
  const { projectId, ...selected } = readSelection(selection, projects, (id) => store.schema(id));
  const { users } = selection;
  if (users.length === 0) return { selected: { projectId, ...selected }, unknownUsers: [] };
  const found = await store.findUsers(projectId, users.map(identifierOf), signal);
  const userIds = [...new Set(found.filter((userId) => userId !== undefined))];
  const unknownUsers = users.filter((_, at) => found[at] === undefined);
  return { selected: { projectId, ...selected, userIds }, unknownUsers };
}
