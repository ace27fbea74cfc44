import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import {
  createListedSource,
  type ListedOptions,
} from "../../../../services/operations/dead-letters/listed.ts";
import type { DeadLetterList, StoredDeadLetter } from "../../../../store/deadletters/deadletters.ts";

function letterOf(id: string, changes: Partial<StoredDeadLetter> = {}): StoredDeadLetter {
  const notes = {
    source: "grpc",
    index: "a.log",
    format: "game",
    reason: "invalid_json",
    message: "no JSON",
  };
  return { id, timeMs: 1, ...notes, line: `line ${id}`, lines: 1, isCut: false, json: "{}", ...changes };
}

/** A list in memory, which records what is removed. */
function listOf(letters: readonly StoredDeadLetter[]) {
  const removed: string[] = [];
  const asked: unknown[] = [];
  const list: Pick<DeadLetterList, "list" | "remove"> = {
    async list(filter, request) {
      asked.push([filter, request]);
      return { items: letters, next: "next" };
    },
    async remove(ids) {
      removed.push(...ids);
      return ids.length;
    },
  };
  return { list: list as DeadLetterList, removed, asked };
}

const right = { async [Symbol.asyncDispose]() {} };
const projects = {
  of: (index: string | undefined) => (index === "project 3" ? 3 : undefined),
  indexOf: (projectId: number) => `project ${projectId}`,
};

function sourceOf(list: DeadLetterList, changes: Partial<ListedOptions> = {}) {
  return createListedSource({ list, replay: async () => undefined, acquire: async () => right, ...changes });
}

describe("a replay", () => {
  it("removes what is taken, and keeps what is refused or incomplete", async () => {
    const { list, removed, asked } = listOf([letterOf("1"), letterOf("2"), letterOf("3", { isCut: true })]);
    const replay = async ({ id }: StoredDeadLetter) => (id === "2" ? "still bad" : undefined);
    const part = await sourceOf(list, { replay }).replay({ reason: "r" }, { limit: 5, after: "a" });
    expect(part).toEqual({ replayed: 1, refused: 1, incomplete: 1, firstRefusal: "still bad", next: "next" });
    expect(removed).toEqual(["1"]);
    expect(asked).toEqual([[{ reason: "r" }, { limit: 5, after: "a", order: "oldest" }]]);
  });

  it("removes what was taken before a failure, which ends the call", async () => {
    const { list, removed } = listOf([letterOf("1"), letterOf("2"), letterOf("3")]);
    const replay = async ({ id }: StoredDeadLetter) => {
      if (id === "2") throw new ConnectError("the spool is unavailable", Code.Unavailable);
      return undefined;
    };
    const call = sourceOf(list, { replay }).replay({}, { limit: 5 });
    await expect(call).rejects.toThrow("the spool is unavailable");
    expect(removed).toEqual(["1"]);
  });

  it("waits for no other one", async () => {
    const { list, removed } = listOf([letterOf("1")]);
    const call = sourceOf(list, { acquire: async () => undefined }).replay({}, { limit: 5 });
    await expect(call).rejects.toMatchObject({ code: Code.Aborted });
    expect(removed).toEqual([]);
  });

  it("gives its right back, also after a failure", async () => {
    const { list } = listOf([letterOf("1")]);
    let held = 0;
    const acquire = async () => {
      held++;
      return { [Symbol.asyncDispose]: async () => void held-- };
    };
    const replay = async () => {
      throw new Error("no");
    };
    await expect(sourceOf(list, { acquire, replay }).replay({}, { limit: 1 })).rejects.toThrow("no");
    expect(held).toBe(0);
  });
});

describe("records", () => {
  it("are selected and shown by their projects", async () => {
    const { list, asked } = listOf([
      letterOf("1", { index: "project 3" }),
      letterOf("2", { index: "b.csv:7" }),
    ]);
    const source = sourceOf(list, { projects });
    expect(source.fields).toEqual(["projectId"]);
    const { items } = await source.list({ projectId: 3 }, { limit: 5, order: "newest" });
    expect(asked).toEqual([[{ index: "project 3" }, { limit: 5, order: "newest" }]]);
    expect(items).toMatchObject([
      { projectId: 3, index: undefined },
      { projectId: undefined, index: "b.csv:7" },
    ]);
  });
});
