import { clone, create, createFileRegistry, type MessageInitShape, setExtension } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, MethodOptionsSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { OpenBytes } from "../../../gateway/http/open-bytes.ts";
import { defaultLimits } from "../../../gateway/limits.ts";
import { type ServedService, serve } from "../../../gateway/methods.ts";
import { OpenStreams } from "../../../gateway/open-streams.ts";
import { compileBindings } from "../../../gateway/rest/bindings.ts";
import { createRestRouter } from "../../../gateway/rest/rest.ts";
import { http } from "../../../gen/google/api/annotations_pb.ts";
import { type HttpRule, HttpRuleSchema } from "../../../gen/google/api/http_pb.ts";
import { file_engage_test_v1_library, Library } from "../testproto/gen/engage/test/v1/library_pb.ts";

type Rule = MessageInitShape<typeof HttpRuleSchema>;

/** The Library with other HTTP rules, each for the method of its name, and none for the others. */
function libraryWith(rules: Readonly<Record<string, Rule>>): ServedService {
  const file = clone(FileDescriptorProtoSchema, file_engage_test_v1_library.proto);
  for (const method of file.service.flatMap((service) => service.method)) {
    method.options = create(MethodOptionsSchema);
    for (const rule of [rules[method.name] ?? []].flat()) {
      setExtension(method.options, http, create(HttpRuleSchema, rule as Rule));
    }
  }
  const dependencies = new Map(
    file_engage_test_v1_library.dependencies.map((known) => [known.proto.name, known]),
  );
  const registry = createFileRegistry(file, (name) => dependencies.get(name));
  const desc = registry.getService(Library.typeName);
  return serve(desc ?? Library, {});
}

const get = (value: string): HttpRule => create(HttpRuleSchema, { pattern: { case: "get", value } });
const name = "http option of engage.test.v1.Library/GetBook: ";

test.each<readonly [string, Rule]>([
  [`${name}names neither an HTTP method nor a path`, {}],
  [`${name}path template "v1" does not start with "/"`, get("v1")],
  [
    `${name}path template "/{nope}" binds "nope": engage.test.v1.GetBookRequest has no field "nope"`,
    get("/{nope}"),
  ],
  [
    `${name}path template "/{name.x}" binds "name.x": "name.x" goes into "name", which has no fields that a parameter can name`,
    get("/{name.x}"),
  ],
  [`${name}GET "/a" has body "name", but a GET has no body`, { ...get("/a"), body: "name" }],
  [
    `${name}body "nope" of "/a" is no field of engage.test.v1.GetBookRequest, valid are name, id`,
    { pattern: { case: "post", value: "/a" }, body: "nope" },
  ],
  [
    `${name}response_body "nope" of "/a" is no field of engage.test.v1.Book, valid are name, id, display_name, genre, acquired_at, keywords, cites, shop, donor, notes`,
    { ...get("/a"), responseBody: "nope" },
  ],
  [
    `${name}custom method "lock" of "/a" is not in capitals`,
    { pattern: { case: "custom", value: { kind: "lock", path: "/a" } } },
  ],
  [
    `${name}path template "/{" has "{", which is not a whole variable`,
    { ...get("/a"), additionalBindings: [get("/{")] },
  ],
  [
    `${name}additional bindings can't have additional bindings`,
    { ...get("/a"), additionalBindings: [{ ...get("/b"), additionalBindings: [get("/c")] }] },
  ],
])("%s", (message, rule) => {
  expect(() => compileBindings([libraryWith({ GetBook: rule })])).toThrow(message);
});

test.each([
  ["a repeated field", "SearchBooks", "/{tags}", 'binds "tags", which is repeated'],
  ["a message", "SearchBooks", "/{filter}", 'binds "filter": "filter" is a message, which no text can fill'],
  ["a map", "SearchBooks", "/{labels}", 'binds "labels": "labels" is a map, which no text can fill'],
])("%s can't be in a path", (_name, method, path, message) => {
  expect(() => compileBindings([libraryWith({ [method]: get(path) })])).toThrow(message);
});

function routerOf(...services: readonly ServedService[]) {
  return createRestRouter({
    services,
    interceptors: [],
    unknownMembers: "refuse",
    limits: defaultLimits,
    authorize: () => {},
    observer: { started: () => {}, finished: () => {} },
    openBytes: new OpenBytes(defaultLimits),
    streams: new OpenStreams(),
    reportFault: () => {},
    shutdownSignal: new AbortController().signal,
  });
}

test("two methods that take the same paths are refused by name", () => {
  const service = libraryWith({ GetBook: get("/v1/{name=shelves/*}"), GetFile: get("/v1/shelves/{path}") });
  expect(() => routerOf(service)).toThrow(
    'GET "/v1/shelves/{path}" of engage.test.v1.Library/GetFile takes the same paths as "/v1/{name=shelves/*}" of engage.test.v1.Library/GetBook',
  );
});

test("the routes are all bindings, in their order", () => {
  const { routes } = routerOf(serve(Library, {}));
  expect(
    routes.slice(0, 4).map((route) => [route.httpMethod, route.template.text, route.served.desc.name]),
  ).toEqual([
    ["GET", "/v1/{name=shelves/*/books/*}", "GetBook"],
    ["GET", "/v1/books/{id}", "GetBook"],
    ["LOCK", "/v1/books/{id}:lock", "GetBook"],
    ["POST", "/v1/{parent=shelves/*}/books", "CreateBook"],
  ]);
});
