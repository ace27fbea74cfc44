import { expect, it } from "vitest";
import { tracedExchange } from "../../../../../services/channel/delivery/call/traced-exchange.ts";
import type { ExchangeRequest } from "../../../../../services/channel/exchange/exchange.ts";
import { createNotingTracer } from "../../../../base/trace/noting-tracer.ts";

const batch = { runId: "r1", number: 1, size: 2 };
const trace = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, tracestate: "own=1" };

/** Returns the headers that reach the receiver of a channel with the given ones. */
async function headersOf(given: ExchangeRequest["headers"]): Promise<ExchangeRequest["headers"]> {
  const { tracer } = createNotingTracer();
  const sent: ExchangeRequest["headers"][] = [];
  const exchange = tracedExchange(
    async ({ headers }) => {
      sent.push(headers);
      return { kind: "connection", message: "refused" };
    },
    { tracer, trace, url: "http://receiver.example/push" },
    batch,
  );
  await exchange({ headers: given, body: new Uint8Array(), signal: new AbortController().signal });
  return sent[0]!;
}

it("passes the trace on", async () => {
  expect(await headersOf({ accept: "application/json" })).toEqual({
    accept: "application/json",
    traceparent: expect.stringMatching(/^00-a{32}-[0-9a-f]{16}-01$/),
    tracestate: "own=1",
  });
});

it.each(["traceparent", "Traceparent", "TraceState"])(
  "leaves the trace to a channel that sets %s",
  async (name) => {
    expect(await headersOf({ [name]: "mine" })).toEqual({ [name]: "mine" });
  },
);
