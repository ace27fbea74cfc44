import type { z } from "zod";
import { configSchema } from "../../../cmd/config/schema/schema.ts";
import { hasMeta, optionsOf } from "../../../cmd/config/schema/walk.ts";

/** The paths of all secrets of the schema; `*` stands for names and indexes. */
export function secretPlaces(): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (schema: z.core.$ZodType, path: readonly string[]): void => {
    if (path.length > 8) return;
    if (hasMeta(schema, "secret")) {
      found.add(path.join("."));
      return;
    }
    for (const { _zod } of optionsOf(schema)) {
      const { def } = _zod;
      if (def.type === "object") {
        for (const [key, child] of Object.entries(def.shape)) walk(child, [...path, key]);
      }
      if (def.type === "array") walk(def.element, [...path, "*"]);
      if (def.type === "record") walk(def.valueType, [...path, "*"]);
    }
  };
  walk(configSchema, []);
  return found;
}

const secretOf = (n: number, length: number): string => `mArKeD${n}`.padEnd(length, "xYz0Q9");

/** What every secret in `settingsWithSecrets` begins with. */
export const marker = "mArKeD";

/** A configuration with a marked secret wherever one may be, as text in JSON. @param length of each secret */
export function settingsWithSecrets(length: number, further: object = {}): string {
  let count = 0;
  const secret = (): string => secretOf(count++, length);
  const url = (scheme: string): string =>
    `${scheme}://host.example:99/${secret()}?key=${secret()}#${secret()}`;
  const loginUrl = (scheme: string): string =>
    `${scheme}://${secret()}:${secret()}@host.example:99/${secret()}?key=${secret()}`;
  const sha256 = Buffer.from(secret()).toString("hex").padEnd(64, "0").slice(0, 64);
  const settings = {
    stores: { postgres: { url: loginUrl("postgresql") }, clickhouse: { password: secret() } },
    auth: { keys: [{ name: "shipper", sha256 }] },
    tracing: { endpoint: "http://127.0.0.1:9/v1/traces", headers: { authorization: secret() } },
    projects: [{ id: 1 }, { id: 2, engine: "platform" }],
    analysis: {
      tokens: [
        { name: "one", token: secret(), projects: "*" },
        { name: "two", sha256, projects: [1] },
      ],
      platform: { baseUrl: "https://platform.example", token: secret() },
    },
    webhook: {
      inbox: { driver: "postgres", url: loginUrl("postgresql") },
      outbound: { allow: ["127.0.0.0/8"] },
      channels: {
        a: {
          secrets: [{ value: secret() }, { value: secret() }],
          headers: { "x-key": secret() },
          targets: ["http", "grpc", "smtp", "nats", "nats2", "redis"],
          pushId: { check: { url: url("https") } },
        },
      },
      targets: {
        http: {
          kind: "http",
          url: url("https"),
          headers: { authorization: secret() },
          body: { key: secret(), list: [secret()], id: 7 },
          signing: [`whsec_${Buffer.from(secretOf(99, 24)).toString("base64")}`],
        },
        grpc: { kind: "grpc", url: "http://127.0.0.1:9", bearer: secret() },
        smtp: {
          kind: "smtp",
          host: "127.0.0.1",
          user: "u",
          password: secret(),
          from: "a@example.com",
          to: "{push_id}",
          subject: "s",
          text: `see ${url("https")}`,
        },
        nats: { kind: "nats", servers: [loginUrl("nats")], subject: "a", user: "u", password: secret() },
        nats2: { kind: "nats", servers: ["nats://127.0.0.1:4222"], subject: "a", token: secret() },
        redis: { kind: "redis", host: "127.0.0.1", user: "u", password: secret(), stream: "s" },
      },
    },
    channel: { store: { driver: "postgres", url: loginUrl("postgresql") } },
    ...further,
  };
  return JSON.stringify(settings);
}
