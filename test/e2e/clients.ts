import { createRegistry, fromBinary, fromJson, type JsonValue } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { ConnectError, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import {
  credentials,
  loadPackageDefinition,
  Metadata,
  type MethodDefinition,
  Client as RawClient,
  type ServiceClientConstructor,
  type ServiceError,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import type { ProtocolName } from "../../gateway/call/record.ts";
import { file_google_rpc_error_details } from "../../gen/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../../gen/google/rpc/status_pb.ts";
import { Library } from "../gateway/testproto/gen/engage/test/v1/library_pb.ts";

export type Plain = Readonly<Record<string, unknown>>;

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface Reply {
  readonly message: Plain;
  readonly header: Headers;
  readonly trailer: Headers;
}

/** One way to call `Library.Echo`; failures are thrown as `ConnectError` whatever the way. */
export interface TestClient extends Disposable {
  echo(input: Plain, options?: CallOptions): Promise<Reply>;
}

export interface ClientKind {
  readonly name: string;
  readonly protocol: ProtocolName;
  readonly open: (url: string) => TestClient;
}

export const clientKinds: readonly ClientKind[] = [
  { name: "grpc-js", protocol: "grpc", open: openGrpcJs },
  transportKind("Connect's gRPC", "grpc", (baseUrl, sessionManager) =>
    createGrpcTransport({ baseUrl, sessionManager }),
  ),
  ...(["1.1", "2"] as const).flatMap((httpVersion) => [
    transportKind(`gRPC-Web on HTTP/${httpVersion}`, "grpc-web", (baseUrl, sessionManager) =>
      createGrpcWebTransport({ baseUrl, httpVersion, ...(httpVersion === "2" && { sessionManager }) }),
    ),
    ...[true, false].map((useBinaryFormat) =>
      transportKind(
        `Connect ${useBinaryFormat ? "binary" : "JSON"} on HTTP/${httpVersion}`,
        "connect",
        (baseUrl, sessionManager) =>
          createConnectTransport({
            baseUrl,
            httpVersion,
            useBinaryFormat,
            ...(httpVersion === "2" && { sessionManager }),
          }),
      ),
    ),
  ]),
  { name: "REST by fetch", protocol: "rest", open: openRest },
];

function transportKind(
  name: string,
  protocol: ProtocolName,
  create: (url: string, sessions: Http2SessionManager) => Transport,
): ClientKind {
  return {
    name,
    protocol,
    open(url) {
      const sessions = new Http2SessionManager(url);
      const transport = create(url, sessions);
      return {
        async echo(input, { signal, timeoutMs, headers } = {}) {
          const answer = await transport.unary(Library.method.echo, signal, timeoutMs, headers, input);
          return {
            message: answer.message as unknown as Plain,
            header: answer.header,
            trailer: answer.trailer,
          };
        },
        [Symbol.dispose]: () => sessions.abort(),
      };
    },
  };
}

const loaded = loadPackageDefinition(
  loadSync("engage/test/v1/library.proto", {
    includeDirs: ["proto", "test/gateway/testproto/proto"],
    enums: Number,
    defaults: true,
  }),
) as unknown as { engage: { test: { v1: { Library: ServiceClientConstructor } } } };

/** The definition of Echo that proto-loader, which shares no code with the server, has made. */
const grpcJsEcho = loaded.engage.test.v1.Library.service["Echo"] as MethodDefinition<Plain, Plain>;

function openGrpcJs(url: string): TestClient {
  const client = new RawClient(new URL(url).host, credentials.createInsecure());
  return {
    echo(input, options = {}) {
      const { path, requestSerialize, responseDeserialize } = grpcJsEcho;
      const metadata = new Metadata();
      for (const [name, value] of Object.entries(options.headers ?? {})) metadata.set(name, value);
      const deadline =
        options.timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + options.timeoutMs;
      const { promise, resolve, reject } = Promise.withResolvers<Reply>();
      let header = new Headers();
      let message: Plain = {};
      const request = client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        input,
        metadata,
        { deadline },
        (error, answer) => {
          message = answer ?? message;
          if (error !== null) reject(fromServiceError(error, header));
        },
      );
      request.on("metadata", (received) => {
        header = toHeaders(received);
      });
      request.on("status", (status) => resolve({ message, header, trailer: toHeaders(status.metadata) }));
      options.signal?.addEventListener("abort", () => request.cancel());
      return promise;
    },
    [Symbol.dispose]: () => client.close(),
  };
}

function toHeaders(metadata: Metadata): Headers {
  const headers = new Headers();
  for (const name of Object.keys(metadata.getMap())) {
    for (const value of metadata.get(name)) {
      headers.append(name, typeof value === "string" ? value : value.toString("base64"));
    }
  }
  return headers;
}

function fromServiceError({ code, details, metadata }: ServiceError, header: Headers): ConnectError {
  const [status] = metadata.get("grpc-status-details-bin");
  const error = new ConnectError(details, code as number, [...header, ...toHeaders(metadata)]);
  error.details = status === undefined ? [] : packed(fromBinary(StatusSchema, status as Buffer).details);
  return error;
}

function openRest(url: string): TestClient {
  return {
    async echo(input, { headers, signal } = {}) {
      const response = await fetch(`${url}/v1/echo`, {
        method: "POST",
        body: JSON.stringify(input),
        headers: { "content-type": "application/json", ...headers },
        ...(signal && { signal }),
      });
      const body = (await response.json()) as Plain;
      if (!response.ok) throw fromRestError(body as JsonValue, response.headers);
      return { message: body, header: response.headers, trailer: new Headers() };
    },
    [Symbol.dispose]: () => undefined,
  };
}

function fromRestError(body: JsonValue, headers: Headers): ConnectError {
  const registry = createRegistry(file_google_rpc_error_details);
  const { code, message, details } = fromJson(StatusSchema, body, { registry });
  const error = new ConnectError(message, code, headers);
  error.details = packed(details);
  return error;
}

/** Returns details in the form of a `ConnectError` from the wire. */
function packed(details: readonly Any[]): ConnectError["details"] {
  return details.map(({ typeUrl, value }) => ({ type: typeUrl.slice(typeUrl.indexOf("/") + 1), value }));
}
