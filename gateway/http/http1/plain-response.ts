import { type ServerResponse, validateHeaderValue } from "node:http";
import { asBuffer } from "../../../base/json/utf8.ts";
import { sendTogether } from "./waiting-responses.ts";

/** A response of status 200 whose only header of its own is its media type. */
export interface PlainResponse {
  readonly contentType: string;
  readonly body: Uint8Array | string;
}

/** Properties of Node: the head, whether it was sent, and `keepAliveTimeout` of the server. */
type WithHead = ServerResponse & {
  _header: string | null;
  _headerSent: boolean;
  readonly _keepAliveTimeout: number;
};

/** The beginning of a head, by media type. */
const beginnings = new Map<string, string>();
const maxBeginnings = 256;
/** Short bytes are sent as text of Latin-1, since a socket takes one text in less time than a head and bytes. */
const maxTextBytes = 1_024;

/**
 * Sends a response on a connection of HTTP/1.1 that stays open, with the head that Node would write, without putting
 * headers together and checking them one by one. Returns false for other responses.
 * @param bytes the size of the body
 */
export function sendPlain(
  response: ServerResponse,
  { contentType, body }: PlainResponse,
  bytes: number,
  requestId: string,
): boolean {
  const { req } = response;
  const isPlain =
    response.shouldKeepAlive &&
    req.complete &&
    req.httpVersionMinor === 1 &&
    req.method !== "HEAD" &&
    !response.headersSent &&
    response.getHeaderNames().length === 0;
  if (!isPlain) return false;
  const beginning = beginnings.get(contentType) ?? beginningOf(contentType);
  const target = response as WithHead;
  const ending = endingOf(target._keepAliveTimeout);
  const head = `${beginning}${requestId}\r\ncontent-length: ${bytes}\r\nDate: ${httpDate()}${ending}`;
  // A text of ASCII is copied instead of encoded.
  const encoding = bytes === body.length ? "latin1" : "utf8";
  const text = typeof body === "string" || bytes > maxTextBytes ? body : asBuffer(body).toString("latin1");
  const { socket } = response;
  target._header = head;
  // A response has its socket once those before it are complete. The socket then takes head and body as they are, which
  // takes less time than `end`, whose stream buffers them first.
  if (typeof text === "string" && socket?.writable) {
    target._headerSent = true;
    sendTogether({ socket, response, text: head + text, encoding });
  } else response.end(body, encoding);
  return true;
}

/** @throws TypeError for a media type that cannot be sent */
function beginningOf(contentType: string): string {
  validateHeaderValue("content-type", contentType);
  const beginning = `HTTP/1.1 200 OK\r\ncontent-type: ${contentType}\r\nx-request-id: `;
  if (beginnings.size >= maxBeginnings) beginnings.clear();
  beginnings.set(contentType, beginning);
  return beginning;
}

let endingMs = -1;
let ending = "";

/** Returns the end of a head, after the date. */
function endingOf(keepAliveMs: number): string {
  if (keepAliveMs !== endingMs) {
    endingMs = keepAliveMs;
    const timeout = keepAliveMs === 0 ? "" : `Keep-Alive: timeout=${Math.floor(keepAliveMs / 1_000)}\r\n`;
    ending = `\r\nConnection: keep-alive\r\n${timeout}\r\n`;
  }
  return ending;
}

let date: string | undefined;

/** Returns the time for `Date`, which is written once a second. */
function httpDate(): string {
  if (date === undefined) {
    const now = new Date();
    date = now.toUTCString();
    setTimeout(forgetDate, 1_000 - now.getMilliseconds()).unref();
  }
  return date;
}

function forgetDate(): void {
  date = undefined;
}
