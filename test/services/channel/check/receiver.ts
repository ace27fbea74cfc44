import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export const secret = "a secret of the test";
/** The one that comes after it; both are accepted for a while. */
export const secondSecret = "the next secret of the test";

export interface ReceiverRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ReceiverAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Receiver = (request: ReceiverRequest) => Promise<ReceiverAnswer>;

export interface Failure {
  readonly index: number;
  readonly message: string;
}

/** The steps of a small receiver that keeps to the specification; a wrong one replaces one of them. */
export interface Steps {
  isSigned(request: ReceiverRequest): boolean;
  /** A refusal of the batch as a whole, or undefined. */
  refuse(request: ReceiverRequest, elements: readonly unknown[]): ReceiverAnswer | undefined;
  /** Returns the fault of one element. */
  faultOf(element: Readonly<Record<string, unknown>>): string | undefined;
  /** Returns the key of a batch, from the receipt of its first element. */
  keyOf(receipt: Readonly<Record<string, string | undefined>>): string | undefined;
  /** Runs the work of a batch, once for each request id. */
  once(requestId: string | undefined, work: () => Promise<ReceiverAnswer>): Promise<ReceiverAnswer>;
  work(): Promise<void>;
  /** @param size elements of the batch */
  answer(failures: readonly Failure[], size: number): ReceiverAnswer;
}

export function json(status: number, value: object): ReceiverAnswer {
  return { status, text: JSON.stringify(value) };
}

export function hmac(body: Buffer | string, key = secret): string {
  return createHmac("sha1", key).update(body).digest("hex");
}

/** The signatures by either secret. */
export function hmacs(body: Buffer | string): readonly string[] {
  return [secret, secondSecret].map((key) => hmac(body, key));
}

export function signatureOf({ headers }: ReceiverRequest): string {
  return String(headers["x-svc-ops-signature"] ?? "");
}

export function rightSteps(): Steps & { answer(failures: readonly Failure[]): ReceiverAnswer } {
  const kept = new Map<string, Promise<ReceiverAnswer>>();
  return {
    isSigned(request) {
      const given = Buffer.from(signatureOf(request), "hex");
      const right = hmacs(request.body).map((hex) => Buffer.from(hex, "hex"));
      return given.length === 20 && right.some((one) => timingSafeEqual(given, one));
    },
    refuse: () => undefined,
    faultOf: ({ push_id: pushId }) =>
      typeof pushId === "string" && pushId !== "" && pushId !== "gone" ? undefined : "push_id is not usable",
    keyOf: ({ ops_request_id: requestId }) => requestId,
    once(requestId, work) {
      if (requestId === undefined) return work();
      const answer = kept.get(requestId) ?? work();
      kept.set(requestId, answer);
      return answer;
    },
    work: () => Promise.resolve(),
    answer: (failures) =>
      json(200, { return_code: 0, return_message: "success", data: { fail_list: failures } }),
  };
}

export function createReceiver(changes: Partial<Steps> = {}): Receiver {
  const steps = { ...rightSteps(), ...changes };
  return async (request) => {
    if (!steps.isSigned(request)) return json(401, { return_code: 1, return_message: "signature mismatch" });
    const elements = parse(request.body);
    if (!Array.isArray(elements)) return json(400, { return_code: 1, return_message: "no array" });
    const refusal = steps.refuse(request, elements);
    if (refusal !== undefined) return refusal;
    return steps.once(steps.keyOf(elements[0]?.["#ops_receipt_properties"] ?? {}), async () => {
      await steps.work();
      const failures = elements.flatMap((element, at) => {
        const message = steps.faultOf(element);
        return message === undefined ? [] : [{ index: at + 1, message }];
      });
      return steps.answer(failures, elements.length);
    });
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
