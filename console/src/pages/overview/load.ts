import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { DeadLetters } from "../../../../gen/engage/operations/v1/dead_letters_pb.ts";
import {
  type EventLag,
  type HealthPart,
  HealthState,
  Settings,
} from "../../../../gen/engage/operations/v1/settings_pb.ts";
import type { GetStatsResponse } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { clientOf } from "../../rpc/transport.ts";
import { type Letters, lettersOf } from "./totals.ts";

/** What the overview shows. */
export interface Overview {
  readonly stats: GetStatsResponse | undefined;
  /** The parts of the server that do not work, as far as the key in use may see them. */
  readonly failing: readonly HealthPart[];
  /** The records that cannot be queried yet; undefined while they are not known. */
  readonly lag: EventLag | undefined;
  /** The dead letters that are no messages, of which the statistics tell. */
  readonly letters: readonly Letters[];
  /** The times of the latest requests to webhooks that were refused, in ms since 1970, the newest first. */
  readonly refusedMs: readonly number[];
}

const receiver = clientOf(WebhookReceiver);
const settings = clientOf(Settings);
const deadLetters = clientOf(DeadLetters);

const nothing: Overview = { stats: undefined, failing: [], lag: undefined, letters: [], refusedMs: [] };

type Part = (signal: AbortSignal) => Promise<Partial<Overview>>;

const readHealth: Part = async (signal) => {
  const { parts, eventLag } = await settings.getHealth({}, { signal });
  return { failing: parts.filter(({ state }) => state !== HealthState.OK), lag: eventLag };
};

const readLetters: Part = async (signal) => {
  const { kinds } = await deadLetters.listKinds({}, { signal });
  return { letters: lettersOf(kinds) };
};

const readRefused: Part = async (signal) => {
  const { refusals } = await receiver.listRefusals({ pageSize: 100 }, { signal });
  return { refusedMs: refusals.flatMap(({ time }) => (time === undefined ? [] : [timestampMs(time)])) };
};

/** Refused requests are in the server's memory, so that reading them is no query of a store. */
const readCounts: Part = async (signal) => {
  const [stats, refused] = await Promise.all([
    receiver.getStats({}, { signal }),
    readAllowed(readRefused, signal),
  ]);
  return { stats, ...refused };
};

/** What is read in turns: one query of a store at a time keeps to the limit of live views. */
const turns: readonly Part[] = [
  readCounts,
  (signal) => readAllowed(readHealth, signal),
  readCounts,
  (signal) => readAllowed(readLetters, signal),
  readCounts,
  readCounts,
];

/** Returns a function that brings a part of the overview up to date, the counts more often than the others. */
export function createOverviewLoad(): (signal: AbortSignal) => Promise<Overview> {
  let loads = 0;
  let overview: Overview = nothing;
  return async (signal) => {
    // A turn that fails comes again, so that a lost connection is not healed by another part.
    const found = await turns[loads % turns.length]!(signal);
    loads++;
    overview = { ...overview, ...found };
    return overview;
  };
}

/** A key for webhooks alone may not see the other parts, and still gets the counts; so does a server without them. */
async function readAllowed(part: Part, signal: AbortSignal): Promise<Partial<Overview>> {
  try {
    return await part(signal);
  } catch (error) {
    const { code } = ConnectError.from(error);
    if (code === Code.PermissionDenied || code === Code.Unimplemented) return {};
    throw error;
  }
}
