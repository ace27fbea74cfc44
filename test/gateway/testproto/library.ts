import { create, type JsonObject } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { ErrorInfoSchema, RetryInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import {
  BookSchema,
  type Failing,
  type FileRequest,
  type Library,
  type WatchRequest,
} from "./gen/engage/test/v1/library_pb.ts";

/** Contexts of the calls so far, for tests that look at what a handler saw. */
export interface Seen {
  readonly contexts: HandlerContext[];
}

/** Answers mostly with what it was asked. `chunksMade` counts what its streams have yielded. */
export function createLibrary(seen: Seen, chunksMade: { count: number }) {
  return {
    getBook: (request) => ({ name: request.name, id: request.id }),
    createBook: (request) => ({
      ...(request.book ?? create(BookSchema)),
      notes: { parent: request.parent, token: request.token } as JsonObject,
    }),
    updateBook: (request) => ({
      book: { ...(request.book ?? create(BookSchema)), keywords: masked(request.updateMask?.paths ?? []) },
    }),
    importBooks: (request, context) => {
      seen.contexts.push(context);
      return { names: request.books.map((book) => `${request.channel}/${book.name}`) };
    },
    deleteBook: () => ({}),
    searchBooks: (understood) => ({ understood }),
    echo: (request, context) => {
      seen.contexts.push(context);
      context.responseHeader.set("x-echo", request.text.slice(0, 20));
      return request;
    },
    getFile: (request) => ({ contentType: "text/plain", data: Buffer.from(request.path) }),
    putFile: (request) => ({
      path: request.path,
      contentType: request.content?.contentType ?? "",
      size: BigInt(request.content?.data.length ?? 0),
    }),
    download: (request, context) => download(request, context, seen, chunksMade),
    watch: (request, context) => watch(request, context, seen),
  } satisfies Partial<ServiceImpl<typeof Library>>;
}

function masked(paths: readonly string[]): Record<string, number> {
  return Object.fromEntries(paths.map((path) => [path, 1]));
}

async function* download(
  request: FileRequest,
  context: HandlerContext,
  seen: Seen,
  chunksMade: { count: number },
): AsyncGenerator<{ contentType: string; data: Uint8Array }> {
  seen.contexts.push(context);
  context.responseHeader.set("content-disposition", `attachment; filename="${request.path}"`);
  for (let i = 0; i < request.chunks; i++) {
    chunksMade.count++;
    yield { contentType: "text/csv", data: Buffer.alloc(request.chunkBytes, `${i % 10}`) };
    if (i + 1 === request.failAfter) throw new ConnectError("the file broke", Code.DataLoss);
  }
}

async function* watch(request: WatchRequest, context: HandlerContext, seen: Seen) {
  seen.contexts.push(context);
  for (let i = 0; i !== request.count; i++) {
    if (i === request.failAfter && i > 0) throw new ConnectError("no more", Code.Unavailable);
    yield { number: i, row: { cells: [`${i}`, "a,b"] } };
  }
}

type Refusal = { code: Code; message: string; returnCode: string; retrySeconds: number; crash: boolean };

/** The return codes of errors of `AsEnvelope`. */
export const returnCodes = {
  [Code.InvalidArgument]: -1001,
  [Code.OutOfRange]: -1001,
  [Code.FailedPrecondition]: -1001,
  [Code.NotFound]: -1001,
  [Code.PermissionDenied]: -1002,
  [Code.DeadlineExceeded]: -1004,
  [Code.ResourceExhausted]: -1005,
  [Code.Unavailable]: -1006,
  [Code.Unauthenticated]: -1008,
  [Code.Internal]: -1000,
} as const;

export function createFailing() {
  return {
    asStatus: fail,
    asReturnCode: fail,
    asEnvelope: ({ request }) => fail(request as Refusal),
  } satisfies Partial<ServiceImpl<typeof Failing>>;
}

function fail({ code, message, returnCode, retrySeconds, crash }: Refusal): never {
  if (crash) throw new TypeError("a secret of ours");
  const info = create(ErrorInfoSchema, {
    reason: "TOLD_TO",
    domain: "test",
    metadata: { return_code: returnCode },
  });
  const retry = create(RetryInfoSchema, {
    retryDelay: { seconds: BigInt(Math.floor(retrySeconds)), nanos: Math.round((retrySeconds % 1) * 1e9) },
  });
  throw new ConnectError(message, code, { "x-failed": "yes" }, [
    ...(returnCode === "" ? [] : [{ desc: ErrorInfoSchema, value: info }]),
    ...(retrySeconds === 0 ? [] : [{ desc: RetryInfoSchema, value: retry }]),
  ]);
}
