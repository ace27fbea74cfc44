import { describe, expect, it } from "vitest";
import { loadConfig, readConfig } from "../../../../cmd/config/config.ts";
import { folderWith } from "../load.ts";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

function load(env: Readonly<Record<string, string>>, tracing?: object) {
  const cwd = folderWith({ "engage.yaml": JSON.stringify(tracing === undefined ? {} : { tracing }) });
  return loadConfig({ env, cwd });
}

function problemsOf(env: Readonly<Record<string, string>>) {
  return readConfig({ env, cwd: folderWith({ "engage.yaml": "{}" }) }).problems;
}

describe("variables of OpenTelemetry", () => {
  it.each<[Readonly<Record<string, string>>, object]>([
    [{}, { endpoint: "http://collector:4318/v1/traces", enabled: true, sampler: "parentbased_always_on" }],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" },
      { endpoint: "http://collector:4318/v1/traces" },
    ],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://other/t" }, { endpoint: "http://other/t" }],
    [{ OTEL_EXPORTER_OTLP_HEADERS: "a=1, b=x%20y%3D" }, { headers: { a: "1", b: "x y=" } }],
    [
      { OTEL_EXPORTER_OTLP_HEADERS: "a=1", OTEL_EXPORTER_OTLP_TRACES_HEADERS: "b=2" },
      { headers: { b: "2" } },
    ],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: "3000" }, { timeoutMs: 3_000 }],
    [
      { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" },
      { sampler: "traceidratio", ratio: 0.25 },
    ],
    [
      { OTEL_SERVICE_NAME: "hooks", OTEL_RESOURCE_ATTRIBUTES: "k8s.pod.name=p-1" },
      { service: "hooks", attributes: { "k8s.pod.name": "p-1" } },
    ],
    [
      { OTEL_BSP_SCHEDULE_DELAY: "100", OTEL_BSP_MAX_QUEUE_SIZE: "9", OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "3" },
      { delayMs: 100, maxQueue: 9, maxBatch: 3 },
    ],
    [{ OTEL_SDK_DISABLED: "true" }, { enabled: false }],
    [{ OTEL_SDK_DISABLED: "false" }, { enabled: true }],
    [{ OTEL_TRACES_EXPORTER: "none" }, { enabled: false }],
    [{ OTEL_TRACES_EXPORTER: "otlp" }, { enabled: true }],
    [{ OTEL_SERVICE_NAME: "  " }, { service: "engage" }],
  ])("%j", (env, expected) => {
    expect(load({ ...endpoint, ...env }).config.tracing).toMatchObject(expected);
  });

  it("set nothing without an endpoint, which may be in the file", () => {
    const env = { OTEL_SERVICE_NAME: "hooks", OTEL_TRACES_SAMPLER: "of another program" };
    const { tracing } = load(env).config;
    expect([tracing.service, tracing.endpoint]).toEqual(["engage", undefined]);
    const file = { endpoint: "http://file:4318/v1/traces" };
    expect(load({ OTEL_SERVICE_NAME: "hooks" }, file).config.tracing).toMatchObject({
      ...file,
      service: "hooks",
    });
  });

  it("win over the file, and lose to those of this service", () => {
    const file = { endpoint: "http://file:4318/v1/traces", service: "file" };
    expect(load({ ...endpoint, OTEL_SERVICE_NAME: "otel" }, file).config.tracing).toMatchObject({
      endpoint: "http://collector:4318/v1/traces",
      service: "otel",
    });
    const env = { ...endpoint, OTEL_SERVICE_NAME: "otel", ENGAGE_TRACING_SERVICE: "own" };
    expect(load(env, file).config.tracing.service).toBe("own");
  });

  it("are named as the origin of a value, whose secrets are masked", () => {
    const printed = load({
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=secret-of-the-collector",
    }).print();
    expect(printed).toContain("OTEL_EXPORTER_OTLP_ENDPOINT");
    expect(printed).not.toContain("secret-of-the-collector");
  });

  it.each<[Readonly<Record<string, string>>, string, RegExp]>([
    [{ OTEL_TRACES_SAMPLER: "jaeger_remote" }, "OTEL_TRACES_SAMPLER", /always_on/],
    [{ OTEL_TRACES_SAMPLER_ARG: "2" }, "OTEL_TRACES_SAMPLER_ARG", /1/],
    [{ OTEL_BSP_SCHEDULE_DELAY: "soon" }, "OTEL_BSP_SCHEDULE_DELAY", /number/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: "no pairs" }, "OTEL_EXPORTER_OTLP_HEADERS", /./],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:password@collector" },
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      /user name/,
    ],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "OTEL_EXPORTER_OTLP_PROTOCOL", /"grpc".*"http\/protobuf"/],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf", OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json" },
      "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
      /http\/protobuf/,
    ],
  ])("%j is refused", (env, name, message) => {
    const problems = problemsOf({ ...endpoint, ...env });
    expect(problems).toEqual([expect.objectContaining({ where: `environment ${name}` })]);
    expect(problems[0]!.message).toMatch(message);
    expect(problems[0]!.message).not.toContain("password");
  });

  it("are accepted with another protocol when nothing is sent", () => {
    const env = { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_SDK_DISABLED: "true" };
    expect(problemsOf(env)).toEqual([]);
  });
});
