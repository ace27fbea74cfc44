import { create, type JsonObject, type Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, expect, test } from "vitest";
import {
  encodeAttachedBytes,
  kRequestAttachment,
  kResponseAttachment,
  type RestCodec,
} from "../../../base/rpc/rest-codec.ts";
import { serve } from "../../../gateway/methods.ts";
import {
  BookSchema,
  EchoMessageSchema,
  ImportBooksRequestSchema,
  Library,
  type Row,
  RowSchema,
  type WatchRequest,
} from "../testproto/gen/engage/test/v1/library_pb.ts";
import { openRestServer } from "./rest-server.ts";

const codecs: Readonly<Record<string, RestCodec>> = {
  // The type of a body field, and of an answer.
  [BookSchema.typeName]: {
    decode: ({ json, field }) => ({
      message: create(BookSchema, { displayName: `${field}: ${(json() as JsonObject)["titel"]}` }),
    }),
    encode: (book) => JSON.stringify({ titel: (book as Message<"x"> & { displayName: string }).displayName }),
  },
  // The whole request, from the exact bytes.
  [ImportBooksRequestSchema.typeName]: {
    decode: ({ raw, field }) => ({
      message: create(ImportBooksRequestSchema, { books: [{ name: `${field} of ${raw.length} bytes` }] }),
    }),
  },
  // Each message of a stream, as CSV with a header that depends on the request.
  [RowSchema.typeName]: {
    contentType: "text/csv; charset=utf-8",
    encode: (row, { index, request }) => {
      const header = index === 0 ? `of ${(request as WatchRequest).count}\n` : "";
      return Buffer.from(`${header}${(row as Row).cells.map((cell) => `"${cell}"`).join()}\n`);
    },
  },
  // One that only refuses.
  [EchoMessageSchema.typeName]: {
    decode: ({ json }) => {
      throw new ConnectError(`no ${JSON.stringify(json())}`, Code.InvalidArgument);
    },
  },
};

const server = await openRestServer({ codecs: new Map(Object.entries(codecs)) });
afterAll(() => server[Symbol.asyncDispose]());

async function post(path: string, body: string, method = "POST") {
  const response = await fetch(server.url + path, {
    method,
    body,
    headers: { "content-type": "application/json" },
  });
  return [response.status, response.headers.get("content-type"), await response.text()];
}

const json = "application/json";

test("the type of a body field, and of the answer", async () => {
  expect(await post("/v1/shelves/a/books?token=t", '{"titel":"x"}')).toEqual([
    200,
    json,
    '{"titel":"book: x"}',
  ]);
});

test("the type of a response field", async () => {
  expect(await post("/v1/shelves/a/books/b", '{"titel":"x"}', "PATCH")).toEqual([
    200,
    json,
    '{"titel":"book: x"}',
  ]);
});

test("the type of the request goes before that of its body, and the query is added", async () => {
  expect(await post("/v1/books:import?channel=c", "not json")).toEqual([200, json, '["c/books of 8 bytes"]']);
});

test("each message of a stream", async () => {
  const response = await fetch(`${server.url}/v1/books:rows?count=2`);
  expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(await response.text()).toBe('of 2\n"0","a,b"\n"1","a,b"\n');
});

test.each([
  ["what it refuses", '{"a":1}', 'no {"a":1}'],
  [
    "what is no JSON",
    "{",
    'body: not JSON: expected a key or "}", found the end of the text at line 1, column 2 (byte 1)',
  ],
])("%s is the caller's fault", async (_name, body, message) => {
  const [status, , text] = await post("/v1/echo", body);
  expect([status, JSON.parse(String(text))]).toMatchObject([400, { message }]);
});

test("the content type is checked before", async () => {
  const response = await fetch(`${server.url}/v1/echo`, {
    method: "POST",
    body: "{}",
    headers: { "content-type": "text/csv" },
  });
  expect(response.status).toBe(415);
});

test("a codec without a type of its own writes lines into a stream", async () => {
  const lines = new Map<string, RestCodec>([
    [RowSchema.typeName, { encode: (row) => JSON.stringify((row as Row).cells) }],
  ]);
  await using other = await openRestServer({ codecs: lines });
  const response = await fetch(`${other.url}/v1/books:rows?count=2`);
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  expect(await response.text()).toBe('["0","a,b"]\n["1","a,b"]\n');
});

test("what decode attaches reaches the handler, and what that attaches reaches encode", async () => {
  const attaching = new Map<string, RestCodec>([
    [
      EchoMessageSchema.typeName,
      {
        decode: ({ raw }) => ({ message: create(EchoMessageSchema), attachment: raw }),
        encode: encodeAttachedBytes,
      },
    ],
  ]);
  const library = serve(Library, {
    echo(message, { values }) {
      values.set(kResponseAttachment, values.get(kRequestAttachment));
      return message;
    },
  });
  await using other = await openRestServer({ codecs: attaching, services: [library] });
  const response = await fetch(`${other.url}/v1/echo`, {
    method: "POST",
    body: '{"n":1.0}',
    headers: { "content-type": json },
  });
  expect(await response.text()).toBe('{"n":1.0}');
});
