import type { IncomingHttpHeaders } from "node:http";
import type { DescMethod, DescService, Message } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ContextValues,
  createContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import { maxTimerMs } from "../../base/async/clock.ts";
import { ListMember } from "../../base/collections/linked-list.ts";
import type { ServedMethod } from "../methods.ts";
import { DeadlineQueue } from "./deadline.ts";
import { NodeHeaders } from "./headers.ts";
import { type CallRecord, kRecord } from "./record.ts";

/**
 * One unary call on the lanes and over REST. It is at the same time the
 * request that interceptors see and the context that the handler gets, and it
 * builds what costs time (abort controller, context values, headers) only
 * when it is used.
 */
export class Call extends ListMember implements HandlerContext {
  readonly stream = false;
  readonly served: ServedMethod;
  readonly record: CallRecord;
  readonly requestMethod: string;
  /** The input message; set once the body is decoded. */
  message: Message | undefined;
  readonly #incoming: IncomingHttpHeaders;
  readonly #target: string;
  #deadlineMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #queue: DeadlineQueue | undefined;
  #onAbort: ((reason: unknown) => void) | undefined;
  #requestHeader: NodeHeaders | undefined;
  #responseHeader: NodeHeaders | undefined;
  #responseTrailer: NodeHeaders | undefined;
  #values: ContextValues | undefined;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  constructor(
    served: ServedMethod,
    record: CallRecord,
    request: { readonly method: string; readonly target: string; readonly headers: IncomingHttpHeaders },
  ) {
    super();
    this.served = served;
    this.record = record;
    this.requestMethod = request.method;
    this.#target = request.target;
    this.#incoming = request.headers;
  }

  get method(): DescMethod {
    return this.served.desc;
  }

  get service(): DescService {
    return this.served.desc.parent;
  }

  get protocolName(): string {
    return this.record.protocol;
  }

  get url(): string {
    const scheme = this.record.peer.secure ? "https" : "http";
    const host = this.#incoming[":authority"] ?? this.#incoming.host ?? "localhost";
    return `${scheme}://${host}${this.#target}`;
  }

  get requestHeader(): Headers {
    this.#requestHeader ??= new NodeHeaders(this.#incoming);
    return this.#requestHeader;
  }

  /** The request header under the name that interceptors use. */
  get header(): Headers {
    return this.requestHeader;
  }

  get responseHeader(): NodeHeaders {
    this.#responseHeader ??= new NodeHeaders();
    return this.#responseHeader;
  }

  get responseTrailer(): NodeHeaders {
    this.#responseTrailer ??= new NodeHeaders();
    return this.#responseTrailer;
  }

  /** Whether the response headers were used. */
  get hasResponseHeader(): boolean {
    return this.#responseHeader !== undefined;
  }

  get hasResponseTrailer(): boolean {
    return this.#responseTrailer !== undefined;
  }

  /** Adds the response headers that were set. */
  assignResponseHeader(target: Record<string, unknown>): void {
    this.#responseHeader?.assignTo(target);
  }

  /** Adds the response trailers that were set. */
  assignResponseTrailer(target: Record<string, unknown>): void {
    this.#responseTrailer?.assignTo(target);
  }

  get values(): ContextValues {
    this.#values ??= createContextValues().set(kRecord, this.record);
    return this.#values;
  }

  /** The context values under the name that interceptors use. */
  get contextValues(): ContextValues {
    return this.values;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  /** Whether the call was cancelled, timed out or ended. */
  get aborted(): boolean {
    return this.#aborted !== undefined;
  }

  /** Milliseconds left until the deadline, or undefined without one. */
  timeoutMs(): number | undefined {
    return this.#deadlineMs === undefined ? undefined : this.#deadlineMs - performance.now();
  }

  /**
   * Aborts the call with DEADLINE_EXCEEDED after this time, also when the handler
   * ignores its signal. Without a time, or beyond `maxMs`, it is `maxMs`. The call has just begun, so that
   * `timeoutMs()` counts from its beginning without reading the clock again, and the timer from now.
   */
  startDeadline(timeoutMs: number | undefined, maxMs: number): void {
    if (timeoutMs === undefined || timeoutMs >= maxMs) {
      this.#deadlineMs = this.record.startedMs + maxMs;
      this.#queue = queueOf(maxMs);
      this.#queue.add(this);
      return;
    }
    this.#deadlineMs = this.record.startedMs + timeoutMs;
    if (timeoutMs <= 0) this.expire();
    else this.#timer = setTimeout(expire, timeoutMs, this);
  }

  expire(): void {
    this.abort(new ConnectError("the deadline of the call was exceeded", Code.DeadlineExceeded));
  }

  /** Sets the only listener for the abort of the call. */
  onAbort(listener: (reason: unknown) => void): void {
    this.#onAbort = listener;
    if (this.#aborted !== undefined) listener(this.#aborted.reason);
  }

  /** Aborts the handler's signal. Only the first reason counts. */
  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = { reason };
    this.#stopDeadline();
    this.#controller?.abort(reason);
    this.#onAbort?.(reason);
  }

  /** Stops the deadline and aborts the signal of a handler that still works. */
  end(): void {
    this.#onAbort = undefined;
    this.#stopDeadline();
    if (this.#controller !== undefined) this.abort(new ConnectError("the call has ended", Code.Canceled));
  }

  #stopDeadline(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#queue?.delete(this);
  }
}

function expire(call: Call): void {
  call.expire();
}

/** Queues by their timeout. */
const queues = new Map<number, DeadlineQueue>();

function queueOf(maxMs: number): DeadlineQueue {
  const known = queues.get(maxMs);
  if (known !== undefined) return known;
  const queue = new DeadlineQueue(Math.min(maxMs, maxTimerMs));
  queues.set(maxMs, queue);
  return queue;
}
