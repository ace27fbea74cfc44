import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { cursorMark, maxOutputLength, readCursor, writeOutput } from "../../../services/agent/output.ts";

interface Written {
  readonly items: readonly unknown[];
  readonly has_more: boolean;
  readonly cursor?: string;
  readonly shortened?: true;
}

const mark = cursorMark("tool", { project_id: 1 });
const first = { token: "", skip: 0 };

function write(items: readonly unknown[], place = first, nextToken = "", head: object = {}): Written {
  const text = writeOutput({ head: head as never, list: { name: "items", items, place, nextToken, mark } });
  expect(text.length).toBeLessThanOrEqual(maxOutputLength);
  return JSON.parse(text) as Written;
}

describe("a list", () => {
  it("is whole when it fits", () => {
    expect(write([1, "two", null])).toEqual({ items: [1, "two", null], has_more: false });
  });

  it("continues with the next page of the service", () => {
    const { has_more, cursor } = write([1], first, "page 2");
    expect(has_more).toBe(true);
    expect(readCursor(cursor, mark)).toEqual({ token: "page 2", skip: 0 });
  });

  it("continues within a page with the first item that did not fit", () => {
    const all = Array.from({ length: 500 }, (_, i) => ({ i, text: "x".repeat(200) }));
    const found: unknown[] = [];
    let place: ReturnType<typeof readCursor> = { token: "page 1", skip: 0 };
    while (place?.token === "page 1") {
      const page: Written = write(all.slice(place.skip), place, "page 2");
      found.push(...page.items);
      place = readCursor(page.cursor, mark);
    }
    expect(found).toEqual(all);
    expect(place).toEqual({ token: "page 2", skip: 0 });
  });

  it("shortens an item that is too long by itself, and says so", () => {
    const { items, shortened, has_more } = write([{ id: 7, text: "y".repeat(90_000) }, { id: 8 }]);
    expect(items[0]).toMatchObject({ id: 7, text: expect.stringMatching(/^y+… \(90000 characters\)$/) });
    expect(shortened).toBe(true);
    expect([items.length, has_more]).toEqual([2, false]);
  });

  it("leaves room for the members beside it", () => {
    const { items } = write(["a", "b"], first, "", {
      warnings: Array.from({ length: 900 }, () => "w".repeat(90)),
    });
    expect(items).toEqual(["a", "b"]);
  });

  test("of any JSON fits, and begins with its first item", () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { minLength: 1, maxLength: 30 }),
        fc.nat(3_000),
        (values, length) => {
          const items = values.map((value, i) => ({ i, value, text: "z".repeat(length) }));
          const written = write(items);
          expect(written.items[0]).toMatchObject({ i: 0 });
          expect(written.has_more).toBe(written.items.length < items.length);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("a cursor", () => {
  it("belongs to its tool and arguments", () => {
    const { cursor } = write([1], first, "next");
    expect(readCursor(cursor, cursorMark("tool", { project_id: 1, cursor }))).toBeDefined();
    expect(readCursor(cursor, cursorMark("tool", { project_id: 2 }))).toBeUndefined();
    expect(readCursor(cursor, cursorMark("other", { project_id: 1 }))).toBeUndefined();
  });

  it.each(["", undefined])("%j is the beginning", (text) => {
    expect(readCursor(text, mark)).toEqual(first);
  });

  it.each([
    "x",
    "AAAA",
    Buffer.from(`${mark} -1 a`).toString("base64url"),
    Buffer.from(mark).toString("base64url"),
  ])("%j is refused", (text) => {
    expect(readCursor(text, mark)).toBeUndefined();
  });
});
