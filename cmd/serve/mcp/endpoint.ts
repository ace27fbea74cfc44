import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { loadOnce } from "../../../base/async/load-once.ts";
import { packageVersion } from "../../../base/package/root.ts";
import type { RequireKey } from "../../../gateway/auth.ts";
import type { CallOrigin } from "../../../gateway/call/inner-calls.ts";
import { type NodeRequest, peerOf } from "../../../gateway/http/http.ts";
import type { Endpoint, Page } from "../../../gateway/pages/pages.ts";
import { encodeError } from "../../../gateway/rest/status.ts";
import type { AgentTools } from "../../../gen/engage/agent/v1/agent_tools_pb.ts";

export interface EndpointOptions {
  /** Throws UNAUTHENTICATED for a request without a key; undefined where none is required. */
  readonly requireKey: RequireKey | undefined;
  /** Reads the JSON body of a request. @throws ConnectError */
  readonly readBody: (request: NodeRequest) => Promise<unknown>;
  /** Returns a client of the tools which calls them in the name of a request. */
  readonly toolsOf: (origin: CallOrigin) => Client<typeof AgentTools>;
}

/**
 * Creates the endpoint of the Model Context Protocol over HTTP, without sessions: each request is served by itself. The
 * gateway has checked the host and the origin, and the key is checked before the body is read. The library reads the
 * messages; it is loaded with the first of them.
 */
export function createEndpoint(options: EndpointOptions): Endpoint {
  const load = loadOnce(openHandler);
  return {
    // The library refuses GET and DELETE, which belong to sessions.
    methods: ["DELETE", "GET", "POST"],
    async respond(request) {
      try {
        options.requireKey?.(request);
        const body = request.method === "POST" ? await options.readBody(request) : undefined;
        if (Array.isArray(body)) throw batchRefused();
        const tools = options.toolsOf({ headers: request.headers, peer: peerOf(request.socket) });
        return await (await load())(request, body, tools);
      } catch (error) {
        if (!(error instanceof ConnectError)) throw error;
        return refusal(error);
      }
    },
  };
}

/** A batch would run any number of tools at once. The protocol has had none since its revision 2025-06-18. */
function batchRefused(): ConnectError {
  return new ConnectError("the body is a list, valid is one message", Code.InvalidArgument);
}

type Handle = (request: NodeRequest, body: unknown, tools: Client<typeof AgentTools>) => Promise<Page>;

async function openHandler(): Promise<Handle> {
  const [{ createMcpHandler }, { createProtocolServer }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("../../../services/agent/protocol/protocol.ts"),
  ]);
  const version = packageVersion();
  const describeError = ({ rawMessage }: ConnectError): string => rawMessage;
  const handler = createMcpHandler(
    ({ authInfo }) =>
      createProtocolServer({
        tools: authInfo?.extra?.["tools"] as Client<typeof AgentTools>,
        version,
        describeError,
      }),
    // The tools never change, so that there is nothing to subscribe to. A stream that stays open would hold its page.
    { maxSubscriptions: 0 },
  );
  return async (request, body, tools) => {
    const gone = new AbortController();
    const connection = "stream" in request ? request.stream : request.socket;
    const onClose = (): void => gone.abort();
    connection.once("close", onClose);
    try {
      const authInfo = { token: "", clientId: "", scopes: [], extra: { tools } };
      const response = await handler.fetch(toWebRequest(request, gone.signal), {
        parsedBody: body,
        authInfo,
      });
      return await toPage(response);
    } catch (error) {
      if (!gone.signal.aborted) throw error;
      throw new ConnectError("the caller closed the connection", Code.Canceled, undefined, undefined, error);
    } finally {
      connection.off("close", onClose);
    }
  };
}

/** The library gets the headers of its protocol, and no secrets. */
function toWebRequest(request: NodeRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    const isOwn = name === "accept" || name === "content-type" || name.startsWith("mcp-");
    if (isOwn && typeof value === "string") headers.set(name, value);
  }
  return new Request("http://localhost/mcp", { method: request.method ?? "GET", headers, signal });
}

async function toPage(response: Response): Promise<Page> {
  // The library assumes a stream over HTTP/1.1, whose connection it keeps; here the gateway decides.
  const {
    "content-type": contentType = "application/json",
    connection: _,
    ...headers
  } = Object.fromEntries(response.headers);
  return {
    status: response.status,
    contentType,
    body: await response.text(),
    headers: { ...headers, "cache-control": "no-store" },
  };
}

function refusal(error: ConnectError): Page {
  const { status, headers, body } = encodeError(error);
  const retryAfter = headers["retry-after"];
  return {
    status,
    contentType: "application/json",
    body,
    headers: {
      "cache-control": "no-store",
      ...(status === 401 && { "www-authenticate": "Bearer" }),
      ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    },
  };
}
