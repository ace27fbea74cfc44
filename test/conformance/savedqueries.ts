import { describe, expect, it } from "vitest";
import {
  maxQueriesOfProject,
  type NewSavedQuery,
  type QueryCreated,
  type SavedQueryStore,
  type StoredQuery,
} from "../../store/savedqueries/savedqueries.ts";

/** A place for one store, which may be opened again. */
export interface SavedQueriesPlace extends AsyncDisposable {
  open(now: () => number): Promise<SavedQueryStore>;
}

export function query(name: string, changes: Partial<NewSavedQuery> = {}): NewSavedQuery {
  return { projectId: 1, name, description: "", request: '{"events":[]}', ...changes };
}

/** Returns the saved query of an outcome. */
function savedIn(outcome: QueryCreated): StoredQuery {
  expect(outcome.kind).toBe("saved");
  return (outcome as { readonly query: StoredQuery }).query;
}

/** Tests that every store of saved queries must pass. */
export function describeSavedQueries(what: string, makePlace: () => Promise<SavedQueriesPlace>): void {
  describe(what, () => {
    it("keeps a query as it is, also after it was opened again", async () => {
      await using place = await makePlace();
      const given = query("Ünï 活动 🎁", {
        projectId: Number.MAX_SAFE_INTEGER,
        description: "two\nlines",
        request: '{ "b": 1, "a": 9007199254740993, "\\u0000": "x" }',
      });
      const store = await place.open(() => 1_000);
      const saved = savedIn(await store.create(given));
      expect(saved).toEqual({
        ...given,
        queryId: saved.queryId,
        version: 1,
        createdAtMs: 1_000,
        updatedAtMs: 1_000,
      });
      await store[Symbol.asyncDispose]();
      await using again = await place.open(() => 2_000);
      expect(await again.find(given.projectId, saved.queryId)).toEqual(saved);
      expect(await again.find(1, saved.queryId)).toBeNull();
    });

    it.each(["", "q", "q0", "q999", "1", "q1 ", "q1;", "q9999999999999999"])(
      "has no query %j",
      async (queryId) => {
        await using place = await makePlace();
        await using store = await place.open(Date.now);
        expect(await store.find(1, queryId)).toBeNull();
        expect(await store.update(queryId, undefined, query("a"))).toEqual({ kind: "unknown" });
        expect(await store.delete(1, queryId, undefined)).toBe("unknown");
      },
    );

    it("gives a name to one query of a project", async () => {
      await using place = await makePlace();
      await using store = await place.open(Date.now);
      const first = savedIn(await store.create(query("a")));
      const second = savedIn(await store.create(query("b")));
      expect(await store.create(query("a"))).toEqual({ kind: "name_taken" });
      expect(await store.update(second.queryId, undefined, query("a"))).toEqual({ kind: "name_taken" });
      expect(savedIn(await store.create(query("a", { projectId: 2 }))).name).toBe("a");
      expect(await store.update(first.queryId, 1, query("a", { description: "same name" }))).toMatchObject({
        kind: "saved",
        query: { version: 2 },
      });
    });

    it("updates and deletes the version that was read, within its project", async () => {
      await using place = await makePlace();
      let nowMs = 5;
      await using store = await place.open(() => nowMs);
      const { queryId } = savedIn(await store.create(query("a")));
      nowMs = 6;
      const changed = query("b", { description: "d", request: "{}" });
      expect(await store.update(queryId, 1, changed)).toEqual({
        kind: "saved",
        query: { ...changed, queryId, version: 2, createdAtMs: 5, updatedAtMs: 6 },
      });
      expect(await store.update(queryId, 1, changed)).toEqual({ kind: "stale" });
      expect(await store.update(queryId, 2, { ...changed, projectId: 2 })).toEqual({ kind: "unknown" });
      expect(await store.delete(1, queryId, 1)).toBe("stale");
      expect(await store.delete(2, queryId, 2)).toBe("unknown");
      expect(await store.delete(1, queryId, 2)).toBe("deleted");
      expect(await store.delete(1, queryId, undefined)).toBe("unknown");
      const next = savedIn(await store.create(query("b")));
      expect(next.queryId).not.toBe(queryId);
    });

    it("lists a project by name, page by page", async () => {
      await using place = await makePlace();
      await using store = await place.open(Date.now);
      const names = ["b", "a", "B", "é", "活动", "a b"];
      for (const name of names) await store.create(query(name));
      await store.create(query("elsewhere", { projectId: 2 }));
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await store.list(1, { limit: 4, ...(after !== undefined && { after }) });
        seen.push(...page.items.map(({ name }) => name));
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(seen).toEqual(["B", "a", "a b", "b", "é", "活动"]);
      const { items } = await store.list(1, { limit: 1 });
      expect(Object.keys(items[0]!)).not.toContain("request");
      expect(await store.list(3, { limit: 1 })).toEqual({ items: [], next: null });
      await expect(store.list(1, { limit: 1_001 })).rejects.toThrow(RangeError);
    });

    it("has a limited number of queries of each project", async () => {
      await using place = await makePlace();
      await using store = await place.open(Date.now);
      const names = Array.from({ length: maxQueriesOfProject }, (_, n) => `n${n}`);
      for (let at = 0; at < names.length; at += 50) {
        await Promise.all(names.slice(at, at + 50).map((name) => store.create(query(name))));
      }
      expect(await store.create(query("more"))).toEqual({ kind: "too_many" });
      expect(await store.create(query("more", { projectId: 2 }))).toMatchObject({ kind: "saved" });
      const { items } = await store.list(1, { limit: 1_000 });
      await store.delete(1, items[0]!.queryId, undefined);
      expect(await store.create(query("more"))).toMatchObject({ kind: "saved" });
    });
  });
}
