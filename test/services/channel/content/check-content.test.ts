import { describe, expect, it } from "vitest";
import { checkContent } from "../../../../services/channel/content/check-content.ts";
import { channelWith, contentOf } from "./template.ts";

const title = { title: "t" };

describe("a content", () => {
  it("is valid with a value for every field", () => {
    const texts = {
      title: "t",
      body: "{level} of {#account_id}",
      count: "-1.5",
      kind: "b",
      day: "2024-02-29",
      at: "2024-02-29 23:59:59",
    };
    const content = contentOf(texts, { items: [{ item_id: "7", number: "1" }, {}] });
    expect(checkContent(channelWith(), content)).toEqual([]);
  });

  it("needs only what is required and has no default", () => {
    expect(checkContent(channelWith(), contentOf({}))).toEqual([
      { field: 'values["title"]', description: "is required" },
    ]);
  });

  const wrong = [
    ["an unknown field", contentOf({ ...title, titel: "x" }), 'values["titel"]', 'valid are "title", "body"'],
    ["an empty required one", contentOf({ title: "" }), 'values["title"]', "is required"],
    ["a required one of spaces", contentOf({ title: " \t" }), 'values["title"]', "is required"],
    ["no number", contentOf({ ...title, count: "1,5" }), 'values["count"]', '"1,5"'],
    ["no option", contentOf({ ...title, kind: "c" }), 'values["kind"]', 'is "c", valid are "a", "b"'],
    ["no date", contentOf({ ...title, day: "2023-02-29" }), 'values["day"]', '"2023-02-29"'],
    ["no time", contentOf({ ...title, at: "2024-01-01T00:00:00" }), 'values["at"]', "valid are times"],
    ["an open brace", contentOf({ ...title, body: "{name" }), 'values["body"]', 'has a "{" without a "}"'],
    ["a text for rows", contentOf({ ...title, items: "x" }), 'values["items"]', "is a text, valid are rows"],
    ["rows for a text", contentOf({}, { title: [{}] }), 'values["title"]', "is rows, valid is a text"],
    [
      "an unknown column",
      contentOf(title, { items: [{}, { id: "1" }] }),
      'values["items"].rows[1].cells["id"]',
      'is not a column, valid are "item_id", "number"',
    ],
    [
      "too many rows",
      contentOf(title, { items: Array.from({ length: 501 }, () => ({})) }),
      'values["items"].rows',
      "has 501 rows, at most 500 are valid",
    ],
  ] as const;
  it.each(wrong)("is refused with %s", (_what, content, field, problem) => {
    expect(checkContent(channelWith(), content)).toContainEqual({
      field,
      description: expect.stringContaining(problem),
    });
  });
});
