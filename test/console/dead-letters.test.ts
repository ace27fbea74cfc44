import { describe, expect, test } from "vitest";
import {
  filterOf,
  isFiltered,
  readFilters,
  selectReason,
} from "../../console/src/pages/dead-letters/filters.ts";
import { lettersOf } from "../../console/src/pages/dead-letters/replay.ts";
import { countAll, type Replayed, replayAll } from "../../console/src/replay/replay.ts";
import { DeadLetterKind, type DeadLetterReason } from "../../gen/engage/operations/v1/dead_letters_pb.ts";

const queryOf = (query: string) => new Map(new URLSearchParams(query));

describe("filters", () => {
  test("of the URL are those of the contract that the kind has", () => {
    const all = "reason=r&text=t&project=7&channel=c&target=g&index=i&from=2026-01-02T03:04:05.678Z";
    const common = { reason: "r", text: "t", deadFrom: expect.objectContaining({ nanos: 678_000_000 }) };
    const nothing = { projectId: 0n, channel: "", target: "", index: "" };
    const of = (kind: string) => filterOf(readFilters(queryOf(`${all}&kind=${kind}`)));
    const { WEBHOOK, CLICK, PARSER, RECORD } = DeadLetterKind;
    expect(of("webhook")).toEqual({ ...nothing, ...common, kind: WEBHOOK, channel: "c", target: "g" });
    expect(of("nonsense")).toEqual({ ...nothing, ...common, kind: WEBHOOK, channel: "c", target: "g" });
    expect(of("click")).toEqual({ ...nothing, ...common, kind: CLICK, index: "i" });
    expect(of("parser")).toEqual({ ...nothing, ...common, kind: PARSER, index: "i" });
    expect(of("record")).toEqual({ ...nothing, ...common, kind: RECORD, projectId: 7n });
  });

  test.each([
    ["", false],
    ["kind=parser&order=oldest&channel=c&from=yesterday", false],
    ["kind=record&project=1", true],
    ["reason=r", true],
    ["until=2026-01-02T03:04:05Z", true],
  ])("of %j select a part: %j", (query, isPart) => {
    expect(isFiltered(readFilters(queryOf(query)))).toBe(isPart);
  });

  test.each(["one", "-1", "0", "1.5", "9".repeat(30)])("with the project %j select nothing", (project) => {
    const { projectId } = filterOf(
      readFilters(
        new Map([
          ["kind", "record"],
          ["project", project],
        ]),
      ),
    );
    expect(projectId).toBe(999_999_999_999_999n);
  });

  test("of a reason are all that it is counted by", () => {
    const row = { reason: "r", projectId: 7n, channel: "c", target: "t" } as DeadLetterReason;
    expect(selectReason(row)).toMatchObject({
      reason: "r",
      project: "7",
      channel: "c",
      target: "t",
      text: "",
    });
    expect(selectReason({ ...row, projectId: 0n })).toMatchObject({ project: "" });
  });
});

const filter = { kind: DeadLetterKind.PARSER };
const { signal } = new AbortController();

/** Calls with two parts each, which record their tokens. */
function callsOf() {
  const tokens: unknown[] = [];
  const next = ({ pageToken }: { pageToken?: string }) => {
    tokens.push(pageToken);
    return pageToken === "" ? "second" : "";
  };
  const calls = {
    countDeadLetters: async (request: object) => ({ count: 3n, nextPageToken: next(request) }),
    replayDeadLetters: async (request: object) => {
      const nextPageToken = next(request);
      const firstRefusal = nextPageToken === "" ? "later" : "";
      return { replayed: 2n, refused: 1n, incomplete: 1n, firstRefusal, nextPageToken };
    },
  };
  return { calls: calls as unknown as Parameters<typeof lettersOf>[0], tokens };
}

describe("a count", () => {
  test("adds its parts, and says how far it is", async () => {
    const { calls, tokens } = callsOf();
    const sums: bigint[] = [];
    expect(await countAll(lettersOf(calls, filter), signal, (count) => sums.push(count))).toBe(6n);
    expect([sums, tokens]).toEqual([
      [3n, 6n],
      ["", "second"],
    ]);
  });
});

describe("a replay", () => {
  test("adds its parts", async () => {
    const { calls, tokens } = callsOf();
    const sums: Replayed[] = [];
    await replayAll(lettersOf(calls, filter, true), signal, (sum) => sums.push(sum));
    expect(sums).toEqual([
      { replayed: 2n, refused: 1n, incomplete: 1n, firstRefusal: "" },
      { replayed: 4n, refused: 2n, incomplete: 2n, firstRefusal: "later" },
    ]);
    expect(tokens).toEqual(["", "second"]);
  });

  test("ends after the running part when it is stopped", async () => {
    const { calls, tokens } = callsOf();
    const end = new AbortController();
    await replayAll(lettersOf(calls, filter, true), end.signal, () => end.abort());
    expect(tokens).toEqual([""]);
  });
});
