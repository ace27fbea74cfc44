import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import { createErrorMapping } from "../../../base/rpc/map-errors.ts";
import {
  foreignPageToken,
  readBegunWork,
  readPage,
  writeBegunWork,
  writePageToken,
} from "../../../base/rpc/paging.ts";
import { quoteText } from "../../../base/text/quote.ts";
import {
  CountDeadLettersResponseSchema,
  type DeadLetterFilter,
  DeadLetterOrder,
  type DeadLetters,
  GetDeadLetterResponseSchema,
  ListDeadLettersResponseSchema,
  ListKindsResponseSchema,
  ListReasonsResponseSchema,
  ReplayDeadLettersResponseSchema,
} from "../../../gen/engage/operations/v1/dead_letters_pb.ts";
import {
  DeadLetterCursorError,
  DeadLettersOpenError,
  DeadLettersUnavailableError,
} from "../../../store/deadletters/deadletters.ts";
import { InboxUnavailableError, PageCursorError } from "../../../store/inbox/inbox.ts";
import { createExport } from "./export.ts";
import { type ReadFilter, readFilter } from "./filter.ts";
import { type DeadLetterSources, kindNames, readId, readKind } from "./kinds.ts";
import { createPaced } from "./paced.ts";
import type { DeadLetterSource } from "./source.ts";
import { toDeadLetter, toReason, toSummary } from "./to-message.ts";

export interface DeadLettersOptions {
  readonly sources: DeadLetterSources;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly monotonicMs: () => number;
}

const listSizes = { standard: 50, max: 200 };
const replaySizes = { standard: 200, max: 1_000 };
const maxReasons = 100;

const { mapErrors, toConnectError } = createErrorMapping((error) => {
  if (error instanceof DeadLetterCursorError || error instanceof PageCursorError) return foreignPageToken();
  if (error instanceof InboxUnavailableError) return "the inbox is unavailable";
  const isAway = error instanceof DeadLettersUnavailableError || error instanceof DeadLettersOpenError;
  return isAway ? "the dead letters are unavailable" : undefined;
});

/**
 * The DeadLetters service. `source.ts` is what a kind implements: `listed.ts` over lists of lines, `messages.ts` over
 * the inbox.
 */
export function createDeadLetters(given: DeadLettersOptions): ServiceImpl<typeof DeadLetters> {
  const sources: DeadLetterSources = {
    webhook: withPacedGroups(given.sources.webhook, given),
    click: withPacedGroups(given.sources.click, given),
    parser: withPacedGroups(given.sources.parser, given),
    record: withPacedGroups(given.sources.record, given),
  };
  const options = { ...given, sources };
  const read = (filter: DeadLetterFilter | undefined): ReadFilter =>
    readFilter(filter, (kind) => sources[kind].fields);
  return {
    ...createViews(options, read),
    ...createReplay(options, read),
    exportDeadLetters: createExport({ sources, read, toConnectError }),
  };
}

/** Any number of viewers ask for the groups of a store again and again. A replay changes them. */
function withPacedGroups(
  source: DeadLetterSource,
  { monotonicMs }: Pick<DeadLettersOptions, "monotonicMs">,
): DeadLetterSource {
  const groups = createPaced(source.groups, monotonicMs);
  return {
    ...source,
    // What a source can do may change while the server runs.
    get fields() {
      return source.fields;
    },
    get replayObstacle() {
      return source.replayObstacle;
    },
    groups: groups.get,
    async replay(filter, request) {
      try {
        return await source.replay(filter, request);
      } finally {
        groups.forget();
      }
    },
  };
}

type Read = (filter: DeadLetterFilter | undefined) => ReadFilter;
type Methods<Name extends keyof ServiceImpl<typeof DeadLetters>> = Pick<
  ServiceImpl<typeof DeadLetters>,
  Name
>;

function createViews(
  { sources }: DeadLettersOptions,
  read: Read,
): Methods<"listKinds" | "listReasons" | "listDeadLetters" | "getDeadLetter"> {
  return {
    listKinds: () =>
      mapErrors(async () => {
        const kinds = kindNames.map(async (kind) =>
          toSummary(kind, await sources[kind].groups(), sources[kind].replayObstacle),
        );
        return create(ListKindsResponseSchema, { kinds: await Promise.all(kinds) });
      }),

    listReasons: (request) =>
      mapErrors(async () => {
        const kind = readKind("kind", request.kind);
        const { groups, isComplete } = await sources[kind].groups();
        const sorted = groups.toSorted((a, b) => b.count - a.count || b.newestMs - a.newestMs);
        return create(ListReasonsResponseSchema, {
          reasons: sorted.slice(0, maxReasons).map((group) => toReason(kind, group)),
          complete: isComplete,
          further: BigInt(Math.max(0, sorted.length - maxReasons)),
        });
      }),

    listDeadLetters: (request) =>
      mapErrors(async () => {
        const { kind, filter } = read(request.filter);
        const order = orderOf(request.order);
        const list = ["list", kind, filter, order];
        const page = readPage(request, list, listSizes);
        const { items, next } = await sources[kind].list(filter, { ...page, order });
        return create(ListDeadLettersResponseSchema, {
          deadLetters: items.map((one) => toDeadLetter(kind, one)),
          nextPageToken: writePageToken(next, list),
        });
      }),

    getDeadLetter: ({ deadLetterId }) =>
      mapErrors(async () => {
        if (deadLetterId === "") refuseField("dead_letter_id", "is required");
        const named = readId(deadLetterId);
        const found = named && (await sources[named.kind].get(named.id));
        if (named !== undefined && found) {
          const deadLetter = toDeadLetter(named.kind, found, true);
          return create(GetDeadLetterResponseSchema, { deadLetter });
        }
        const message = `dead_letter_id ${quoteText(deadLetterId)} is unknown, or it was replayed or deleted, ListDeadLetters lists the others`;
        throw new ConnectError(message, Code.NotFound);
      }),
  };
}

function orderOf(order: DeadLetterOrder): "newest" | "oldest" {
  if (order === DeadLetterOrder.OLDEST) return "oldest";
  if (order === DeadLetterOrder.UNSPECIFIED || order === DeadLetterOrder.NEWEST) return "newest";
  const valid = "the numbers of DEAD_LETTER_ORDER_NEWEST and _OLDEST";
  return refuseField("order", `is ${order}, valid are ${valid}`);
}

function createReplay(
  { sources, now }: DeadLettersOptions,
  read: Read,
): Methods<"countDeadLetters" | "replayDeadLetters"> {
  return {
    countDeadLetters: (request) =>
      mapErrors(async () => {
        const { kind, filter } = read(request.filter);
        const list = ["count", kind, filter];
        const { after } = readPage({ pageSize: 0, pageToken: request.pageToken }, list);
        const { count, next } = await sources[kind].count(filter, after);
        return create(CountDeadLettersResponseSchema, {
          count: BigInt(count),
          nextPageToken: writePageToken(next, list),
        });
      }),

    replayDeadLetters: (request) =>
      mapErrors(async () => {
        const { kind, filter } = read(request.filter);
        const { replayObstacle } = sources[kind];
        if (replayObstacle !== undefined) throw new ConnectError(replayObstacle, Code.FailedPrecondition);
        if (Object.keys(filter).length === 0 && !request.all) {
          refuseField("filter", "has nothing but the kind, set all to replay every dead letter of it");
        }
        const list = ["replay", kind, filter];
        const { limit, after } = readPage(request, list, replaySizes);
        const begun = readBegunWork(after, now());
        // What dies again during the replay is not taken a second time.
        const untilMs = Math.min(filter.untilMs ?? Number.POSITIVE_INFINITY, begun.startMs);
        const { next, replayed, refused, incomplete, firstRefusal } = await sources[kind].replay(
          { ...filter, untilMs },
          { limit, after: begun.place },
        );
        return create(ReplayDeadLettersResponseSchema, {
          replayed: BigInt(replayed),
          refused: BigInt(refused),
          incomplete: BigInt(incomplete),
          firstRefusal,
          nextPageToken: writePageToken(writeBegunWork(begun, next), list),
        });
      }),
  };
}
