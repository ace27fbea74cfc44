import type { Problem } from "../problem.ts";
import type { Environment, Override } from "./environment.ts";

/** A variable of OpenTelemetry and the setting of the section `tracing` that it sets. */
interface Variable {
  readonly name: string;
  readonly key: string;
  /** Returns the value of the setting; undefined where the variable does not set it. */
  readonly read: (text: string) => unknown;
}

const asText = (text: string): string => text.trim();
/** A text that is no number is refused by the schema. */
const asNumber = (text: string): unknown => (/^\s*[\d.]+\s*$/.test(text) ? Number(text) : text);

/**
 * The variables that are honoured, those for traces after those for all signals, since later ones win:
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
const variables: readonly Variable[] = [
  {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    key: "endpoint",
    read: (text) => `${text.trim().replace(/\/+$/, "")}/v1/traces`,
  },
  { name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", key: "endpoint", read: asText },
  { name: "OTEL_EXPORTER_OTLP_HEADERS", key: "headers", read: readPairs },
  { name: "OTEL_EXPORTER_OTLP_TRACES_HEADERS", key: "headers", read: readPairs },
  { name: "OTEL_EXPORTER_OTLP_TIMEOUT", key: "timeoutMs", read: asNumber },
  { name: "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", key: "timeoutMs", read: asNumber },
  { name: "OTEL_TRACES_SAMPLER", key: "sampler", read: asText },
  { name: "OTEL_TRACES_SAMPLER_ARG", key: "ratio", read: asNumber },
  { name: "OTEL_RESOURCE_ATTRIBUTES", key: "attributes", read: readPairs },
  { name: "OTEL_SERVICE_NAME", key: "service", read: asText },
  { name: "OTEL_BSP_SCHEDULE_DELAY", key: "delayMs", read: asNumber },
  { name: "OTEL_BSP_MAX_QUEUE_SIZE", key: "maxQueue", read: asNumber },
  { name: "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", key: "maxBatch", read: asNumber },
  {
    name: "OTEL_TRACES_EXPORTER",
    key: "enabled",
    read: (text) => (text.trim() === "none" ? false : undefined),
  },
  {
    name: "OTEL_SDK_DISABLED",
    key: "enabled",
    read: (text) => (/^\s*true\s*$/i.test(text) ? false : undefined),
  },
];

const protocolVariables = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];

/**
 * Reads the variables of OpenTelemetry as settings of the section `tracing`. Empty ones count as not set. Without an
 * endpoint they set nothing, since they may be for other programs.
 * @param hasEndpoint whether another setting names the endpoint
 */
export function readOtelEnvironment(
  env: Environment,
  hasEndpoint: boolean,
): { readonly overrides: readonly Override[]; readonly problems: readonly Problem[] } {
  const found = variables.flatMap(({ name, key, read }): Override[] => {
    const text = env[name];
    const value = text === undefined || text.trim() === "" ? undefined : read(text);
    return value === undefined ? [] : [{ name, path: ["tracing", key], value }];
  });
  const sets = (key: string): boolean => found.some(({ path }) => path[1] === key);
  if (!hasEndpoint && !sets("endpoint")) return { overrides: [], problems: [] };
  const needsProtocol = sets("endpoint") && !sets("enabled");
  return { overrides: found, problems: needsProtocol ? protocolProblems(env) : [] };
}

function protocolProblems(env: Environment): readonly Problem[] {
  const name = protocolVariables.find((one) => env[one]);
  const value = name === undefined ? undefined : env[name];
  if (name === undefined || value === "http/protobuf") return [];
  const message = `is ${JSON.stringify(value)}, but spans are sent as http/protobuf only: set it to "http/protobuf", with the endpoint of that protocol`;
  return [{ where: `environment ${name}`, path: "", message }];
}

/** Reads `name=value,name=value`, in which both are percent-encoded; a text without pairs is refused by the schema. */
function readPairs(text: string): unknown {
  const pairs = text.split(",").filter((part) => part.trim() !== "");
  const read = pairs.map((pair): readonly [string, string] | undefined => {
    const [, name = "", value = ""] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    const decoded = decode(value);
    return name === "" || decoded === undefined ? undefined : [decode(name) ?? name, decoded];
  });
  return read.every((pair) => pair !== undefined) ? Object.fromEntries(read) : text;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
