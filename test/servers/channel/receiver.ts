import { once } from "node:events";
import http, { type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The requests of one batch, by its request id. */
export interface BatchBook {
  readonly pushIds: readonly string[];
  /** The different bytes that came; one, when attempts are the same. */
  readonly bodies: Set<string>;
  attempts: number;
  /** Attempts under way: begun, and neither answered nor given up. */
  open: number;
  mostOpen: number;
}

/** How an attempt is answered. @param attempt 1 for the first of a batch */
export type Answer = (response: ServerResponse, attempt: number) => void;

/** A receiver that handles each request id once, and answers repeated ones alike. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly books: ReadonlyMap<string, BatchBook>;
  /** When attempts came, in milliseconds of the monotonic clock. */
  readonly times: readonly number[];
  /** Attempts under way. */
  open(): number;
  /** How often each push id was handled. */
  handled(): ReadonlyMap<string, number>;
  answer: Answer;
  /** Ends at once, with all that is under way. */
  stop(): Promise<void>;
  /** On the same port. */
  start(): Promise<void>;
}

export const good = '{"return_code":0,"return_message":"success","data":{"fail_list":[]}}';

export const answerWell: Answer = (response) => void response.end(good);

/** Returns a receiver that takes `ms` for each request. */
export function answerAfter(ms: number): Answer {
  return (response) => void setTimeout(() => response.end(good), ms);
}

export async function openReceiver(): Promise<Receiver> {
  const books = new Map<string, BatchBook>();
  const times: number[] = [];
  let server = http.createServer();
  let port = 0;

  function bookOf(body: string): BatchBook {
    const elements = JSON.parse(body) as readonly Record<string, Record<string, string>>[];
    const requestId = elements[0]!["#ops_receipt_properties"]!["ops_request_id"]!;
    const pushIds = elements.map(({ push_id }) => String(push_id));
    const book = books.get(requestId) ?? { pushIds, bodies: new Set(), attempts: 0, open: 0, mostOpen: 0 };
    books.set(requestId, book);
    return book;
  }

  async function start(): Promise<void> {
    server = http.createServer((request, response) => {
      times.push(performance.now());
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        const book = bookOf(body);
        book.bodies.add(body);
        book.attempts++;
        book.mostOpen = Math.max(book.mostOpen, ++book.open);
        response.on("close", () => book.open--);
        self.answer(response, book.attempts);
      });
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
  }

  async function stop(): Promise<void> {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

  await start();
  const self: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    books,
    times,
    answer: answerWell,
    start,
    stop,
    open: () => [...books.values()].reduce((sum, { open }) => sum + open, 0),
    handled() {
      const counts = new Map<string, number>();
      for (const pushId of [...books.values()].flatMap(({ pushIds }) => pushIds)) {
        counts.set(pushId, (counts.get(pushId) ?? 0) + 1);
      }
      return counts;
    },
    [Symbol.asyncDispose]: stop,
  };
  return self;
}
