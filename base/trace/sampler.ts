import { isRecorded } from "./context.ts";

/** The samplers that OpenTelemetry names: https://opentelemetry.io/docs/specs/otel/trace/sdk/#built-in-samplers */
export const samplerNames = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

export type SamplerName = (typeof samplerNames)[number];

export interface Sampler {
  /** @param traceparent that of the caller; undefined: a new trace */
  isSampled(traceparent: string | undefined): boolean;
  /** Returns the id of a new trace that is sampled, for which `isSampled` returns true ever after. */
  newTraceId(randomHex: (digits: number) => string): string;
}

const values = 2 ** 52;

/**
 * Creates a sampler. It decides by the last digits of the trace id, of which the highest numbers are sampled, so that
 * services with the same ratio sample the same traces:
 * https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/
 * @param random 0 to below 1
 */
export function createSampler(name: SamplerName, ratio: number, random: () => number): Sampler {
  const share = name.endsWith("traceidratio") ? ratio : name.endsWith("always_on") ? 1 : 0;
  const least = Math.ceil((1 - share) * values);
  const followsCaller = name.startsWith("parentbased_");
  return {
    isSampled(traceparent) {
      if (traceparent === undefined) return share === 1 || random() < share;
      if (followsCaller) return isRecorded(traceparent);
      return share === 1 || (share > 0 && numberOf(traceparent) >= least);
    },
    newTraceId(randomHex) {
      const number = least + Math.floor(random() * (values - least));
      return `${randomHex(18)}${number.toString(16).padStart(13, "0")}${randomHex(1)}`;
    },
  };
}

/** Returns the 52 higher bits of the 56 that are random in the id of a trace. */
function numberOf(traceparent: string): number {
  return Number.parseInt(traceparent.slice(3 + 18, 3 + 31), 16);
}
