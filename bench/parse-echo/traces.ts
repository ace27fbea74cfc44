import { createSampler } from "../../base/trace/sampler.ts";
import { type CallObserver, CallRecord } from "../../gateway/call/record.ts";
import { createCallTraces } from "../../gateway/call-traces.ts";
import { Parser } from "../../gen/proto/parser_pb.ts";
import { median, quantile } from "../harness/compare.ts";
import type { Server } from "../harness/processes.ts";
import { createLoad, startEngage } from "./echo.ts";

/**
 * Measures what traces cost a call that is not sampled: pairs of rounds on a server without traces and on one that
 * samples none, in changing order, compared by CPU time. Beside other work on the machine such rounds differ by more
 * than the bar, so the decision is measured alone too.
 */
const pairs = Number(process.argv[2] ?? 30);

await using off = await startEngage(7301);
await using unsampled = await startEngage(7302, {
  OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
  OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
  OTEL_TRACES_SAMPLER_ARG: "0",
});

const load = createLoad();
/** Returns the CPU time of a call in microseconds. */
const cost = async (server: Server): Promise<number> => {
  const before = server.cpuSeconds();
  const { calls } = await load(server);
  return ((server.cpuSeconds() - before) / calls) * 1e6;
};

for (const server of [off, unsampled, off, unsampled]) await cost(server);
const costs: { readonly off: number; readonly unsampled: number }[] = [];
for (let pair = 0; pair < pairs; pair++) {
  if (pair % 2 === 0) costs.push({ off: await cost(off), unsampled: await cost(unsampled) });
  else {
    const first = await cost(unsampled);
    costs.push({ off: await cost(off), unsampled: first });
  }
}
const ratios = costs.map((pair) => pair.unsampled / pair.off);
console.table({
  "without traces": { "µs of CPU time a call": median(costs.map((pair) => pair.off)).toFixed(2) },
  "traces, none sampled": { "µs of CPU time a call": median(costs.map((pair) => pair.unsampled)).toFixed(2) },
});
console.log(
  `ratio: ${median(ratios).toFixed(4)}, quartiles ${quantile(ratios, 0.25).toFixed(4)} to ${quantile(ratios, 0.75).toFixed(4)}, bar ≤ 1.01, ${pairs} pairs`,
);

const peer = { address: "127.0.0.1", secure: false };
const headers = { "content-type": "application/grpc+proto", te: "trailers" };
const callsAlone = 1_000_000;

/** Returns the CPU time of a record of a call and of its observer, in nanoseconds. */
function costOfRecord(observer: CallObserver | undefined): number {
  const before = process.cpuUsage();
  for (let call = 0; call < callsAlone; call++) {
    const record = new CallRecord(Parser.method.parse, "grpc", peer, headers);
    observer?.started(record);
    observer?.finished(record);
  }
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1_000) / callsAlone;
}

const traces = createCallTraces({
  isSampled: createSampler("parentbased_traceidratio", 0, Math.random).isSampled,
  startSpan: () => {
    throw new Error("a call was sampled");
  },
});
const decision = median(Array.from({ length: 31 }, () => costOfRecord(traces) - costOfRecord(undefined)));
const share = decision / 1_000 / median(costs.map((pair) => pair.off));
console.log(
  `the decision alone: ${decision.toFixed(0)} ns of CPU time, ${(share * 100).toFixed(2)} % of a call`,
);
