import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { loadSync, type MethodDefinition } from "@grpc/proto-loader";

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: the first of its trace. */
  readonly parentId: string;
  readonly name: string;
  /** As OTLP numbers them: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Span ids. */
  readonly links: readonly string[];
  readonly hasFailed: boolean;
  readonly startNs: bigint;
  readonly endNs: bigint;
  /** Attributes of the process. */
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A collector of OTLP over HTTP with protobuf, on a socket of its own. */
export interface Collector extends AsyncDisposable {
  /** What `tracing.endpoint` is set to. */
  readonly endpoint: string;
  readonly spans: readonly CollectedSpan[];
  readonly headers: readonly http.IncomingHttpHeaders[];
  /** The status of its responses; undefined: it never responds. */
  status: number | undefined;
  /** Returns the spans by name. */
  named(name: string): readonly CollectedSpan[];
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>> & { readonly value: string };
}

interface Request {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

interface WireSpan {
  readonly traceId: Buffer;
  readonly spanId: Buffer;
  readonly parentSpanId: Buffer;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly KeyValue[];
  readonly links: readonly { readonly spanId: Buffer }[];
  readonly status: { readonly code: number } | null;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

const service = loadSync(join(import.meta.dirname, "collector.proto"), {
  defaults: true,
  longs: String,
  oneofs: true,
})["opentelemetry.proto.collector.trace.v1.TraceService"] as Record<string, MethodDefinition<object, object>>;
const decode = (body: Buffer): Request => service["Export"]!.requestDeserialize(body) as unknown as Request;

export async function openCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const headers: http.IncomingHttpHeaders[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    headers.push(request.headers);
    if (self.status === undefined) return;
    if (self.status === 200) spans.push(...decode(Buffer.concat(chunks)).resourceSpans.flatMap(readSpans));
    response.writeHead(self.status, { "content-type": "application/x-protobuf" }).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const self: Collector = {
    endpoint: `http://127.0.0.1:${port}/v1/traces`,
    spans,
    headers,
    status: 200,
    named: (name) => spans.filter((span) => span.name === name),
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return self;
}

function readSpans({ resource, scopeSpans }: Request["resourceSpans"][number]): readonly CollectedSpan[] {
  const own = toRecord(resource.attributes);
  return scopeSpans.flatMap((scope) =>
    scope.spans.map((span) => ({
      traceId: span.traceId.toString("hex"),
      spanId: span.spanId.toString("hex"),
      parentId: span.parentSpanId.toString("hex"),
      name: span.name,
      kind: span.kind,
      attributes: toRecord(span.attributes),
      links: span.links.map(({ spanId }) => spanId.toString("hex")),
      hasFailed: span.status?.code === 2,
      startNs: BigInt(span.startTimeUnixNano),
      endNs: BigInt(span.endTimeUnixNano),
      resource: own,
    })),
  );
}

function toRecord(pairs: readonly KeyValue[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    pairs.map(({ key, value }) => {
      const found = value[value.value];
      return [key, value.value === "intValue" ? Number(found) : found];
    }),
  );
}

/** Returns the names of the spans of a trace as a tree, children in the order of their beginning. */
export function treeOf(
  spans: readonly CollectedSpan[],
  traceId: string,
  parentId: string,
): readonly Branch[] {
  return spans
    .filter((span) => span.traceId === traceId && span.parentId === parentId)
    .toSorted((a, b) => Number(a.startNs - b.startNs))
    .map(({ name, spanId }) => [name, ...treeOf(spans, traceId, spanId)]);
}

/** The name of a span and the branches below it. */
export type Branch = readonly (string | Branch)[];
