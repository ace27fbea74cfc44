import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPathTable } from "../../../../gateway/rest/path/path-table.ts";
import { compileTemplate, type PathTemplate, readVariable } from "../../../../gateway/rest/path/template.ts";

/** Returns the values that the template binds in the path, or undefined if it does not match. */
function bind(template: PathTemplate, path: string): Record<string, string | undefined> | undefined {
  const table = createPathTable<PathTemplate>();
  table.add("GET", template, template);
  const match = table.find("GET", path);
  return (
    match &&
    Object.fromEntries(
      template.variables.map((v) => [v.fieldPath.join("."), readVariable(v, match.segments)]),
    )
  );
}

describe("matching", () => {
  test.each([
    ["/", "/", {}],
    ["/v1/books", "/v1/books", {}],
    ["/v1/books", "/v1/%62ooks", {}],
    ["/v1/books", "/v1/books/", undefined],
    ["/v1/books", "/v1", undefined],
    ["/v1/{id}", "/v1/a", { id: "a" }],
    ["/v1/{id}", "/v1/", undefined],
    ["/v1/{id}", "/v1/a/b", undefined],
    ["/v1/{id}", "/v1/a%2Fb%20c+d", { id: "a/b c+d" }],
    ["/v1/{id}", "/v1/a%252Fb", { id: "a%2Fb" }],
    ["/v1/{id}", "/v1/%E4%BD%A0", { id: "你" }],
    ["/v1/{id}", "/v1/%ff", { id: undefined }],
    ["/v1/{id}", "/v1/%4", { id: undefined }],
    ["/v1/*/b", "/v1/x/b", {}],
    ["/v1/*/b", "/v1//b", undefined],
    ["/v1/{name=shelves/*}", "/v1/shelves/a", { name: "shelves/a" }],
    ["/v1/{name=shelves/*}", "/v1/shelves/a%2Fb%20c", { name: "shelves/a%2Fb c" }],
    ["/v1/{name=shelves/*}", "/v1/shelves", undefined],
    ["/v1/{name=shelves}", "/v1/shelves", { name: "shelves" }],
    ["/v1/{name=a/*/b/**}", "/v1/a/1/b", { name: "a/1/b" }],
    ["/v1/{name=a/*/b/**}", "/v1/a/1/b/2/3", { name: "a/1/b/2/3" }],
    ["/v1/{path=**}", "/v1", { path: "" }],
    ["/v1/{path=**}", "/v1/a//b", { path: "a//b" }],
    ["/v1/{path=**}", "/v1/a%2fb", { path: "a%2fb" }],
    ["/**", "/any/thing", {}],
    ["/v1/{book.name=books/*}/{page}", "/v1/books/b/7", { "book.name": "books/b", page: "7" }],
    ["/v1/{id}:lock", "/v1/a:lock", { id: "a" }],
    ["/v1/{id}:lock", "/v1/a:b:lock", { id: "a:b" }],
    ["/v1/{id}:lock", "/v1/a%3Alock", undefined],
    ["/v1/{id}:lock", "/v1/a:unlock", undefined],
    ["/v1/{id}:lock", "/v1/:lock", undefined],
    ["/v1/{path=**}:lock", "/v1/a/b:lock", { path: "a/b" }],
    ["/v1/books:import", "/v1/books:import", {}],
    ["/v1/a:b/{id}", "/v1/a:b/c", { id: "c" }],
    ["/v1/{id}", "v1/a", undefined],
    ["/v1/{id}", "*", undefined],
  ] as const)("%s on %s", (template, path, expected) => {
    expect(bind(compileTemplate(template), path)).toEqual(expected);
  });
});

describe("start-up", () => {
  test.each([
    ["v1/books", 'path template "v1/books" does not start with "/"'],
    ["/v1//books", 'path template "/v1//books" has an empty segment'],
    ["/v1/books/", 'path template "/v1/books/" has an empty segment'],
    ["/v1/books:", 'path template "/v1/books:" has nothing after ":"'],
    ["/v1/{id", 'path template "/v1/{id" has "{id", which is not a whole variable'],
    ["/v1/{id}x", 'path template "/v1/{id}x" has "{id}x", which is not a whole variable'],
    [
      "/v1/x{id}",
      'path template "/v1/x{id}" has "x{id}", which is neither a literal, "*", "**" nor a variable',
    ],
    ["/v1/{}", 'path template "/v1/{}" has "{}", where "" is not a field path'],
    ["/v1/{a-b}", 'path template "/v1/{a-b}" has "{a-b}", where "a-b" is not a field path'],
    ["/v1/{a=}", 'path template "/v1/{a=}" has an empty segment'],
    [
      "/v1/{a={b}}",
      'path template "/v1/{a={b}}" has "{b}", which is neither a literal, "*", "**" nor a variable',
    ],
    ["/v1/{a=**}/b", 'path template "/v1/{a=**}/b" has "**" before its end'],
    ["/v1/**/b", 'path template "/v1/**/b" has "**" before its end'],
    ["/v1/{a}/{a}", 'path template "/v1/{a}/{a}" binds "a" twice'],
    ["/v1/***", 'path template "/v1/***" has "***", which is neither a literal, "*", "**" nor a variable'],
    ["/v1/a?b", 'path template "/v1/a?b" contains one of ? # % or a space'],
  ])("%s is refused", (template, message) => {
    expect(() => compileTemplate(template)).toThrow(message);
  });

  test.each([
    ["/v1/{a}", "/v1/{b}"],
    ["/v1/{a=x/*}", "/v1/x/{b}"],
    ["/v1/{a=**}", "/v1/**"],
    ["/v1/{a}:do", "/v1/*:do"],
  ])("%s and %s take the same paths", (one, other) => {
    const table = createPathTable<string>();
    expect(table.add("GET", compileTemplate(one), one)).toBeUndefined();
    expect(table.add("POST", compileTemplate(other), other)).toBeUndefined();
    expect(table.add("GET", compileTemplate(other), other)).toBe(one);
  });
});

describe("choice among templates", () => {
  const templates = [
    ["GET", "/v1/books"],
    ["GET", "/v1/{id}"],
    ["GET", "/v1/{path=**}"],
    ["GET", "/v1/{id}:lock"],
    ["GET", "/v1/*/pages"],
    ["GET", "/v1/books/{page}"],
    ["PUT", "/v1/{id}"],
    ["*", "/v1/any"],
  ] as const;
  const table = createPathTable<string>();
  for (const [method, text] of templates) table.add(method, compileTemplate(text), `${method} ${text}`);

  test.each([
    ["GET", "/v1/books", "GET /v1/books"],
    ["GET", "/v1/b%6Foks", "GET /v1/books"],
    ["PUT", "/v1/books", "PUT /v1/{id}"],
    ["GET", "/v1/other", "GET /v1/{id}"],
    ["GET", "/v1/other:lock", "GET /v1/{id}:lock"],
    ["PUT", "/v1/other:lock", "PUT /v1/{id}"],
    ["GET", "/v1/books/pages", "GET /v1/books/{page}"],
    ["GET", "/v1/other/pages", "GET /v1/*/pages"],
    ["GET", "/v1/other/pages/1", "GET /v1/{path=**}"],
    ["GET", "/v1", "GET /v1/{path=**}"],
    ["POST", "/v1/any", "* /v1/any"],
    ["PUT", "/v1/any", "PUT /v1/{id}"],
    ["POST", "/v1/books", undefined],
    ["GET", "/v2", undefined],
  ])("%s %s", (method, path, expected) => {
    expect(table.find(method, path)?.value).toBe(expected);
  });

  test("the methods of a path are those of all its templates", () => {
    expect(table.methodsAt("/v1/books")).toEqual(["GET", "PUT"]);
    expect(table.methodsAt("/v1/any")).toEqual(["*", "GET", "PUT"]);
    expect(table.methodsAt("/v2")).toEqual([]);
  });
});

const literal = fc.stringMatching(/^[a-z][a-z0-9._-]{0,5}$/);
const pattern = fc.array(fc.oneof(literal, fc.constant("*")), { minLength: 1, maxLength: 3 });
/** Values of one segment: any text that a path can contain. */
const value = fc.string({ minLength: 1, maxLength: 8, unit: "grapheme" });

/** Templates with values for their wildcards. */
const filled = fc
  .record({
    parts: fc.array(
      fc.oneof(
        literal.map((text) => ({ text, pattern: undefined })),
        pattern.map((p) => ({ text: "", pattern: p })),
      ),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
    rest: fc.option(fc.array(value, { maxLength: 3 }), { nil: undefined }),
    verb: fc.option(literal, { nil: undefined }),
    values: fc.array(value, { minLength: 12, maxLength: 12 }),
  })
  .map(({ parts, rest, verb, values }) => {
    const supply = values[Symbol.iterator]();
    const take = (): string => supply.next().value as string;
    const text: string[] = [];
    const path: string[] = [];
    const expected: Record<string, string> = {};
    parts.forEach((part, i) => {
      const isSingle = part.pattern?.length === 1;
      const raw = (part.pattern ?? [part.text]).map((segment) => (segment === "*" ? take() : segment));
      // A slash within a segment of a value with several segments would stay encoded.
      const segments = isSingle ? raw : raw.map((segment) => segment.replaceAll("/", "_"));
      path.push(...segments.map(encodeURIComponent));
      text.push(part.pattern === undefined ? part.text : `{v${i}=${part.pattern.join("/")}}`);
      Object.assign(expected, part.pattern === undefined ? {} : { [`v${i}`]: segments.join("/") });
    });
    const tail = rest?.map((segment) => segment.replaceAll("/", "_"));
    path.push(...(tail ?? []).map(encodeURIComponent));
    text.push(...(tail === undefined ? [] : ["{rest=**}"]));
    Object.assign(expected, tail === undefined ? {} : { rest: tail.join("/") });
    const suffix = verb === undefined ? "" : `:${verb}`;
    return { template: `/${text.join("/")}${suffix}`, path: `/${path.join("/")}${suffix}`, expected };
  });

test("a path made from a template gives its values back", () => {
  fc.assert(
    fc.property(filled, ({ template, path, expected }) => {
      expect(bind(compileTemplate(template), path)).toEqual(expected);
    }),
  );
});

test("no path makes a match throw", () => {
  const template = compileTemplate("/a/{b=c/*}/{d=**}:e");
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), (text) => {
      expect(() => bind(template, `/a/c/${text}`)).not.toThrow();
      expect(() => bind(template, text)).not.toThrow();
    }),
  );
});
