import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AudienceSchema } from "../../../../gen/engage/channel/v1/task_pb.ts";
import { KeySet } from "../../../../services/channel/audience/key-set.ts";
import { keyLanes, writePushIdKey, writeUserKey } from "../../../../services/channel/audience/keys.ts";
import { audienceMembers, estimateAudience } from "../../../../services/channel/audience/members.ts";
import { readTaken, sortAudience } from "../../../../services/channel/audience/pages.ts";
import { ReachableMembers } from "../../../../services/channel/audience/reachable.ts";
import type { AudienceMember, AudienceSource } from "../../../../services/channel/audience/source.ts";
import { compileExperiment, compileVariants } from "../../../../services/channel/audience/variants.ts";
import { channelWith, contentOf } from "../content/template.ts";

const { signal } = new AbortController();
const channel = channelWith();
const plain = {
  taskId: "t1",
  contents: [contentOf({ title: "x" })],
  experimentGroups: [],
  languageProperty: "",
};

async function* chunks(members: readonly AudienceMember[]) {
  for (const member of members) yield [member];
}

async function collect<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of all) found.push(one);
  return found;
}

const member = (pushId: string | undefined, properties = {}): AudienceMember => ({ pushId, properties });

/** The number of a user, the same for the same push id. */
function userIdOf(pushId: string): number {
  return Buffer.from(pushId).reduce((sum, byte) => 256 * sum + byte, 2 ** 16);
}
/** A member with a push id that no other user can have. */
const userOf = (pushId: string): AudienceMember => ({ pushId, userId: userIdOf(pushId), properties: {} });

describe("members that are reachable", () => {
  const add = (reachable: ReachableMembers) => (pushId: string) => reachable.add(member(pushId));

  it("are those with a push id that none before them has", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 })), (ids) => {
        const [reachable, known] = [new ReachableMembers(), new Set<string>()];
        const expected = ids.map((id) => id.trim() !== "" && known.size < known.add(id).size);
        expect(ids.map(add(reachable))).toEqual(expected);
      }),
    );
  });

  it.each([
    ["player-", ""],
    ["", "@example.com"],
    ["0000-0000-", "-ffff"],
    ["\u{1f600}", ""],
  ])("are told apart when only digits between %j and %j differ", (before, after) => {
    const reachable = new ReachableMembers();
    const ids = Array.from({ length: 200_000 }, (_, i) => `${before}${i}${after}`);
    expect(ids.filter((id) => !reachable.add(member(id)))).toEqual([]);
  });

  it("are many", () => {
    const reachable = new ReachableMembers();
    const ids = Array.from({ length: 20_000 }, (_, i) => `u${i % 15_000}`);
    expect(ids.filter(add(reachable))).toHaveLength(15_000);
  });
});

describe("keys", () => {
  it.each<[string, readonly Int32Array[]]>([
    [
      "users",
      [1, 2, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 33, Number.MAX_SAFE_INTEGER].map((id) => userKey(id)),
    ],
    ["push ids", ["1", "2", " 1", "a"].map((id) => pushIdKey(id))],
    ["users and push ids", [userKey(1), pushIdKey("1")]],
  ])("of %s differ", (_of, keys) => {
    const set = new KeySet();
    expect(keys.map((key) => [set.has(key), set.add(key), set.has(key), set.add(key)])).toEqual(
      keys.map(() => [false, true, true, false]),
    );
  });

  it("of push ids never begin with the 0 of users, even if a part of the hash is 0", () => {
    expect(pushIdKey("player-flhxvbu")[0]).toBe(1);
  });

  it("are the same in every version", () => {
    expect([...userKey(2 ** 32 + 5)]).toEqual([0, 5, 1]);
    expect([...pushIdKey("player-1")]).toEqual([-415825409, -1716040063, -267318921]);
  });
});

const userKey = (userId: number): Int32Array => writeUserKey(userId, new Int32Array(keyLanes));
const pushIdKey = (pushId: string): Int32Array => writePushIdKey(pushId, new Int32Array(keyLanes));

describe("an A/B test", () => {
  const ids = Array.from({ length: 20_000 }, (_, i) => `user-${i}`);
  const shareOf = (assign: (id: string) => number, group: number) =>
    ids.filter((id) => assign(id) === group).length / ids.length;

  it("shares the audience out, and leaves a control", () => {
    const assign = compileExperiment(
      [
        { groupId: "A", share: 50 },
        { groupId: "B", share: 30 },
      ],
      "t1",
    );
    expect(shareOf(assign, 0)).toBeCloseTo(0.5, 1);
    expect(shareOf(assign, 1)).toBeCloseTo(0.3, 1);
    expect(shareOf(assign, -1)).toBeCloseTo(0.2, 1);
  });

  it("has no control when its shares are all", () => {
    const shares = [33.3, 33.3, 33.4].map((share) => ({ groupId: "", share }));
    expect(shareOf(compileExperiment(shares, "t1"), -1)).toBe(0);
  });

  it("assigns the same again, and otherwise in another task", () => {
    const half = [{ groupId: "A", share: 50 }];
    const [one, again, other] = ["t1", "t1", "t2"].map((salt) => ids.map(compileExperiment(half, salt)));
    expect(again).toEqual(one);
    expect(other!.filter((group, i) => group === one![i]).length / ids.length).toBeCloseTo(0.5, 1);
  });
});

describe("variants", () => {
  it("go by group and language, and default", () => {
    const variants = compileVariants(channel, {
      ...plain,
      contents: [contentOf({ title: "x" }), contentOf({ title: "y" }, {}, "zh-CN")],
      languageProperty: "#System_Language",
    });
    expect(variants).toMatchObject({ isMultiLanguage: true, languageProperty: "#system_language" });
    expect(variants.properties).toEqual(["name", "level", "#system_language"]);
    const chosen = ["zh-cn", "zh", ""].map((text) => variants.all[variants.choose("u", text)]?.language);
    expect(chosen).toEqual(["zh-CN", "default", "default"]);
  });

  it("of a group have its own content", () => {
    const experimentGroups = [
      { groupId: "A", share: 50, contents: [] },
      { groupId: "B", share: 50, contents: [contentOf({ title: "b", body: "{vip}" })] },
    ] as never;
    const { all, choose } = compileVariants(channel, { ...plain, experimentGroups });
    expect(all.map(({ groupId, element }) => [groupId, element.properties])).toEqual([
      ["A", ["name", "level"]],
      ["B", ["vip", "level", "name"]],
    ]);
    expect(new Set(Array.from({ length: 50 }, (_, i) => choose(`u${i}`, "")))).toEqual(new Set([0, 1]));
  });
});

describe("pages", () => {
  const variants = compileVariants(channel, plain);
  /** Pages with their recipients. */
  async function pagesOf(members: readonly AudienceMember[], pageRecipients: number, taken = new KeySet()) {
    let recipients: (readonly [pushId: string, variant: number, ...texts: string[]])[] = [];
    const pages = [];
    const sorting = {
      variants,
      pageRecipients: () => pageRecipients,
      taken,
      take: (pushId: string, variant: number, texts: readonly string[]) =>
        void recipients.push([pushId, variant, ...texts]),
    };
    for await (const page of sortAudience(chunks(members), sorting)) {
      pages.push({ ...page, recipients, count: page.recipients });
      recipients = [];
    }
    return pages;
  }

  it("leave out who has no push id or came before", async () => {
    const members = [member("a", { name: "Ann", level: 3 }), member(undefined), member(" "), member("a")];
    expect(await pagesOf(members, 10)).toMatchObject([
      { filtered: 3, control: 0, isLast: true, count: 1, recipients: [["a", 0, "Ann", "3"]] },
    ]);
  });

  it("are full but for the last, and hold everyone once", async () => {
    const ids = fc.array(fc.option(fc.string({ maxLength: 2 }), { nil: undefined }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(ids, fc.integer({ min: 1, max: 7 }), async (pushIds, size) => {
        const pages = await pagesOf(
          pushIds.map((id) => member(id)),
          size,
        );
        const found = pages.flatMap(({ recipients }) => recipients.map(([id]) => id));
        expect(found).toEqual([...new Set(pushIds.filter((id) => id?.trim()))]);
        expect(pages.slice(0, -1).every(({ recipients }) => recipients.length === size)).toBe(true);
        expect(pages.map(({ isLast }) => isLast)).toEqual(pages.map((_, i) => i === pages.length - 1));
        const all = pages.reduce((sum, { filtered, count }) => sum + filtered + count, 0);
        expect(all).toBe(pushIds.length);
      }),
    );
  });

  it("pass over who was taken before, and count the others", async () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }).filter((id) => id.trim() !== ""));
    await fc.assert(
      fc.asyncProperty(ids, ids, async (first, second) => {
        const kept = (
          await pagesOf(
            first.map((id) => member(id)),
            4,
          )
        ).map(({ keys }) => keys);
        // Bytes of a database may begin anywhere.
        const read = kept.map((keys) => new Uint8Array([9, ...keys]).subarray(1));
        const pages = await pagesOf(
          [...second, "", ...second].map((id) => member(id)),
          4,
          readTaken(read),
        );
        const found = pages.flatMap(({ recipients }) => recipients.map(([id]) => id));
        expect(found).toEqual(second.filter((id) => !first.includes(id)));
        expect(pages.reduce((sum, { filtered }) => sum + filtered, 0)).toBe(second.length + 1);
      }),
    );
  });

  it.each([
    ["user", userOf],
    ["push id, as versions without keys of users did", member],
  ])("pass over who was taken before by its %s", async (_by, memberOf) => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }).filter((id) => id.trim() !== ""));
    await fc.assert(
      fc.asyncProperty(ids, ids, async (first, second) => {
        const taken = await pagesOf(first.map(memberOf), 4);
        const all = [...second.map(userOf), userOf(" ")];
        const pages = await pagesOf(all, 4, readTaken(taken.map(({ keys }) => keys)));
        const found = pages.flatMap(({ recipients }) => recipients.map(([id]) => id));
        expect(found).toEqual(second.filter((id) => !first.includes(id)));
        expect(pages.reduce((sum, { filtered }) => sum + filtered, 0)).toBe(1);
      }),
    );
  });
});

describe("members", () => {
  const source: AudienceSource = {
    users: () => chunks([member("a"), member(undefined), member("a")]),
    lookup: async ({ pushIds }) => new Map(pushIds.slice(1).map((id) => [id, { level: id }])),
  };
  const listed = create(AudienceSchema, { source: { case: "pushIds", value: { pushIds: ["x", "y", "x"] } } });
  const request = { projectId: 1, pushIdProperty: "#account_id", properties: ["level"] };

  it("of a list are looked up when properties are needed", async () => {
    const found = await collect(audienceMembers(source, { ...request, audience: listed }, signal));
    expect(found.flat()).toEqual([member("x"), member("y", { level: "y" }), member("x")]);
  });

  it("are estimated", async () => {
    const users = create(AudienceSchema, { source: { case: "users", value: {} } });
    const ofUsers = { ...request, audience: users, sampleSize: 2 };
    expect(await estimateAudience(source, ofUsers, signal)).toEqual({
      users: 3,
      reachable: 1,
      samplePushIds: ["a"],
    });
    const ofList = { ...request, audience: listed, sampleSize: 1 };
    expect(await estimateAudience(source, ofList, signal)).toEqual({
      users: 3,
      reachable: 2,
      samplePushIds: ["x"],
    });
  });

  it("need an audience", async () => {
    const audience = create(AudienceSchema, {});
    const found = collect(audienceMembers(source, { ...request, audience }, signal));
    await expect(found).rejects.toThrow(
      "audience is required, valid are push_ids, users, analysis and cohort",
    );
  });
});
