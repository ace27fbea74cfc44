import { ChannelsOpenError, ChannelsUnavailableError } from "../../../store/channels/channels.ts";
import { DeadLettersOpenError, DeadLettersUnavailableError } from "../../../store/deadletters/deadletters.ts";
import { EventsOpenError, EventsUnavailableError } from "../../../store/events/events.ts";
import { InboxOpenError, InboxUnavailableError } from "../../../store/inbox/inbox.ts";
import { IntakeBehindError, IntakeOpenError, IntakeUnavailableError } from "../../../store/intake/intake.ts";
import { LeasesOpenError, LeasesUnavailableError } from "../../../store/leases/leases.ts";
import { RecordsOpenError, RecordsUnavailableError } from "../../../store/records/records.ts";
import {
  SavedQueriesOpenError,
  SavedQueriesUnavailableError,
} from "../../../store/savedqueries/savedqueries.ts";
import { OccupiedError } from "../../../store/sql/faults.ts";
import { TokensOpenError, TokensUnavailableError } from "../../../store/tokens/tokens.ts";
import { UserError } from "../../terminal/user-error.ts";

/** Errors whose message says what to do. */
const storeErrors = [
  InboxOpenError,
  InboxUnavailableError,
  ChannelsOpenError,
  ChannelsUnavailableError,
  LeasesOpenError,
  LeasesUnavailableError,
  RecordsOpenError,
  RecordsUnavailableError,
  DeadLettersOpenError,
  DeadLettersUnavailableError,
  EventsOpenError,
  EventsUnavailableError,
  IntakeBehindError,
  IntakeOpenError,
  IntakeUnavailableError,
  TokensOpenError,
  TokensUnavailableError,
  SavedQueriesOpenError,
  SavedQueriesUnavailableError,
  OccupiedError,
];

/** @throws UserError instead of an error of a store */
export async function asUserError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!storeErrors.some((kind) => error instanceof kind)) throw error;
    throw new UserError((error as Error).message, { cause: error });
  }
}
