import { attribute } from "./attributes.ts";
import { inSpan, type Trace, traceHeaders } from "./trace.ts";

/** What spans of requests show of a server. Paths and queries of URLs may have secrets, so they are left out. */
export interface HttpPlace {
  readonly method: string;
  readonly address: string;
  readonly port: number;
}

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** @param url `http:` or `https:` */
export function httpPlaceOf(method: string, url: string): HttpPlace {
  const { protocol, hostname, port } = new URL(url);
  return { method, address: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || defaultPorts[protocol]! };
}

/** Makes a request in a span below `trace`, with the headers that pass the trace on. */
export function inHttpSpan<R extends { readonly status: number }>(
  trace: Trace | undefined,
  { method, address, port }: HttpPlace,
  request: (headers: Readonly<Record<string, string>>) => Promise<R>,
): Promise<R> {
  const options = () => ({
    kind: "client" as const,
    attributes: {
      [attribute.httpMethod]: method,
      [attribute.serverAddress]: address,
      [attribute.serverPort]: port,
    },
  });
  return inSpan(trace, method, options, async (passed, span) => {
    const response = await request(traceHeaders(passed));
    const { status } = response;
    span?.set({ [attribute.httpStatus]: status });
    if (status >= 400) span?.end({ type: String(status) });
    return response;
  });
}
