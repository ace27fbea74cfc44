import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import {
  type DeadLetterFilterSchema,
  DeadLetterKind,
  DeadLetterOrder,
} from "../../../../gen/engage/operations/v1/dead_letters_pb.ts";
import {
  DeadLetterCursorError,
  DeadLettersUnavailableError,
} from "../../../../store/deadletters/deadletters.ts";
import { InboxUnavailableError } from "../../../../store/inbox/inbox.ts";
import { clientOf, letter, refusal } from "./client.ts";

const kind = DeadLetterKind.PARSER;
const valid = "dead_letter_id, reason, text, dead_from, dead_until, index";

const kinds =
  "DEAD_LETTER_KIND_WEBHOOK, DEAD_LETTER_KIND_CLICK, DEAD_LETTER_KIND_PARSER, DEAD_LETTER_KIND_RECORD";

describe("a filter", () => {
  it.each<readonly [MessageInitShape<typeof DeadLetterFilterSchema>, string]>([
    [{}, `filter.kind is required, valid are ${kinds}`],
    [{ kind: 9 as DeadLetterKind }, `filter.kind is 9, valid are the numbers of ${kinds}`],
    [{ kind, channel: "c" }, `filter.channel is not a field of this kind, valid are ${valid}`],
    [{ kind, target: "t" }, `filter.target is not a field of this kind, valid are ${valid}`],
    [{ kind, projectId: 1n }, `filter.project_id is not a field of this kind, valid are ${valid}`],
    [{ kind, deadLetterId: "click.1" }, "filter.dead_letter_id is not the id of a dead letter of this kind"],
    [{ kind, deadLetterId: "1" }, "filter.dead_letter_id is not the id of a dead letter of this kind"],
    [
      { kind, deadFrom: timestampFromMs(2), deadUntil: timestampFromMs(2) },
      "filter.dead_until is not after dead_from, so nothing can match",
    ],
  ])("is refused (%#)", async (filter, message) => {
    const request = { filter };
    const client = clientOf({});
    const exported = (async () => {
      for await (const _ of client.exportDeadLetters(request));
    })();
    for (const call of [
      client.listDeadLetters(request),
      client.countDeadLetters(request),
      client.replayDeadLetters({ ...request, all: true }),
      exported,
    ]) {
      expect(await refusal(call)).toEqual([Code.InvalidArgument, message]);
    }
  });

  it("is required", async () => {
    const message = `filter.kind is required, valid are ${kinds}`;
    expect(await refusal(clientOf({}).listDeadLetters({}))).toEqual([Code.InvalidArgument, message]);
  });

  it("selects by all fields that are set", async () => {
    const asked: unknown[] = [];
    const client = clientOf({
      async list(filter, request) {
        asked.push([filter, request]);
        return { items: [], next: null };
      },
    });
    const times = { deadFrom: timestampFromMs(1), deadUntil: timestampFromMs(9) };
    const filter = { kind, deadLetterId: "parser.1.2", reason: "r", text: "t", index: "i", ...times };
    await client.listDeadLetters({ filter, order: DeadLetterOrder.OLDEST, pageSize: 7 });
    await client.listDeadLetters({ filter: { kind } });
    const all = { id: "1.2", reason: "r", text: "t", index: "i", fromMs: 1, untilMs: 9 };
    expect(asked).toEqual([
      [all, { limit: 7, order: "oldest" }],
      [{}, { limit: 50, order: "newest" }],
    ]);
  });
});

describe("lists", () => {
  it("cut contents between characters, unlike a single dead letter", async () => {
    const content = `a${"é".repeat(1_500)}`;
    const found = { ...letter, content };
    const client = clientOf({
      list: async () => ({ items: [found], next: null }),
      get: async (id) => (id === "1.2" ? found : null),
    });
    const { deadLetters } = await client.listDeadLetters({ filter: { kind } });
    expect(deadLetters).toMatchObject([{ deadLetterId: "parser.1.2", contentIsCut: true }]);
    expect(Buffer.from(deadLetters[0]!.content).toString()).toBe(`a${"é".repeat(1_023)}`);
    const { deadLetter } = await client.getDeadLetter({ deadLetterId: "parser.1.2" });
    expect(deadLetter).toMatchObject({ contentIsCut: false });
    expect(Buffer.from(deadLetter!.content).toString()).toBe(content);
  });

  it.each([
    ["", Code.InvalidArgument, "dead_letter_id is required"],
    [
      "parser.9",
      Code.NotFound,
      'dead_letter_id "parser.9" is unknown, or it was replayed or deleted, ListDeadLetters lists the others',
    ],
    [
      "nothing",
      Code.NotFound,
      'dead_letter_id "nothing" is unknown, or it was replayed or deleted, ListDeadLetters lists the others',
    ],
  ])("have none of the id %j", async (deadLetterId, code, message) => {
    expect(await refusal(clientOf({}).getDeadLetter({ deadLetterId }))).toEqual([code, message]);
  });

  it("have the most frequent reasons first, and say how many there are beyond", async () => {
    const groupOf = (count: number) => {
      return { reason: `r${count}`, count, bytes: 10, oldestMs: count, newestMs: 2 * count, example: letter };
    };
    const groups = Array.from({ length: 103 }, (_, at) => groupOf(at + 1));
    const client = clientOf({ groups: async () => ({ groups, isComplete: false }) });
    const { reasons, further, complete } = await client.listReasons({ kind });
    expect([reasons.length, further, complete]).toEqual([100, 3n, false]);
    expect(reasons[0]).toMatchObject({ reason: "r103", count: 103n, example: { reason: "invalid_json" } });
    const { kinds } = await client.listKinds({});
    expect(kinds).toMatchObject([
      { kind: DeadLetterKind.WEBHOOK, count: 0n, complete: true, replayObstacle: "there are none" },
      { kind: DeadLetterKind.CLICK },
      { kind, count: 5_356n, bytes: 1_030n, complete: false, replayObstacle: "" },
      { kind: DeadLetterKind.RECORD },
    ]);
    expect(kinds[2]).toMatchObject({ oldestTime: timestampFromMs(1), newestTime: timestampFromMs(206) });
  });
});

describe("a replay", () => {
  it("takes no more than there was when it began, over all of its calls", async () => {
    const asked: unknown[] = [];
    let next: string | null = "place 1";
    const client = clientOf({
      async replay(filter, request) {
        asked.push([filter, request]);
        return { replayed: 1, refused: 2, incomplete: 3, firstRefusal: "no", next };
      },
    });
    const request = { filter: { kind, reason: "r" }, pageSize: 10 };
    const first = await client.replayDeadLetters(request);
    expect(first).toMatchObject({ replayed: 1n, refused: 2n, incomplete: 3n, firstRefusal: "no" });
    next = null;
    const second = await client.replayDeadLetters({ ...request, pageToken: first.nextPageToken });
    expect(second.nextPageToken).toBe("");
    const filter = { reason: "r", untilMs: 1_001 };
    expect(asked).toEqual([
      [filter, { limit: 10, after: undefined }],
      [filter, { limit: 10, after: "place 1" }],
    ]);
    const other = { ...request, filter: { kind }, all: true, pageToken: first.nextPageToken };
    expect(await refusal(client.replayDeadLetters(other))).toEqual([
      Code.InvalidArgument,
      "page_token is not one of this list with this filter, begin again without it",
    ]);
  });

  it("of everything must be meant", async () => {
    const client = clientOf({});
    expect(await refusal(client.replayDeadLetters({ filter: { kind } }))).toEqual([
      Code.InvalidArgument,
      "filter has nothing but the kind, set all to replay every dead letter of it",
    ]);
    expect(await client.replayDeadLetters({ filter: { kind }, all: true })).toMatchObject({ replayed: 0n });
  });

  it("that is not possible says why", async () => {
    const client = clientOf({ replayObstacle: "parser.store is not set" });
    expect(await refusal(client.replayDeadLetters({ filter: { kind }, all: true }))).toEqual([
      Code.FailedPrecondition,
      "parser.store is not set",
    ]);
  });
});

describe("errors of a store", () => {
  it.each([
    [new DeadLettersUnavailableError("secret"), Code.Unavailable, "the dead letters are unavailable"],
    [new InboxUnavailableError("secret"), Code.Unavailable, "the inbox is unavailable"],
    [
      new DeadLetterCursorError("secret"),
      Code.InvalidArgument,
      "page_token is not one of this list with this filter, begin again without it",
    ],
  ])("%s are those of the call", async (error, code, message) => {
    const fail = (): never => {
      throw error;
    };
    const failing = async () => fail();
    const client = clientOf({
      groups: failing,
      list: failing,
      count: failing,
      replay: failing,
      export: failing,
    });
    const filter = { kind };
    const exported = (async () => {
      for await (const _ of client.exportDeadLetters({ filter }));
    })();
    for (const call of [
      client.listKinds({}),
      client.listDeadLetters({ filter }),
      client.countDeadLetters({ filter }),
      client.replayDeadLetters({ filter, all: true }),
      exported,
    ]) {
      expect(await refusal(call)).toEqual([code, message]);
    }
  });
});
