import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DCLinter } from "dclint";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { packageRoot } from "../../base/package/root.ts";
import { loadConfig } from "../../cmd/config/config.ts";
import { folderWith } from "../cmd/config/load.ts";

interface Service {
  readonly profiles?: readonly string[];
  readonly image?: string;
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy?: { readonly replicas: number };
  readonly stop_grace_period?: string;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly configs: {
    readonly engage: { readonly content: string };
    readonly nginx: { readonly file: string };
  };
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly networks: Readonly<Record<string, unknown>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const text = readFileSync(join(packageRoot, "compose.yaml"), "utf8");
const compose = parse(text) as Compose;
const { services } = compose;
const namesOf = (includes: (service: Service) => boolean) =>
  Object.keys(services).filter((name) => includes(services[name]!));

/** Loads the configuration of a service as its container does. */
function configOf(service: Service) {
  const secrets = Object.fromEntries(
    service.secrets!.map((name) => [name, name === "postgres_url" ? databaseUrl : `${name} of the test\n`]),
  );
  const cwd = folderWith(secrets);
  const content = compose.configs.engage.content.replace(/\$\{ENGAGE_KEY_SHA256:\?[^}]*\}/, sha256);
  writeFileSync(join(cwd, "engage.yaml"), content.replaceAll("/run/secrets/", `${cwd}/`));
  const variables = Object.entries(service.environment!).map(([name, value]) => [
    name,
    value.replace("/run/secrets/", `${cwd}/`),
  ]);
  const env = { ...Object.fromEntries(variables), ENGAGE_CONFIG: join(cwd, "engage.yaml") };
  return loadConfig({ env, cwd }).config;
}

const sha256 = createHash("sha256").update("a key").digest("hex");
const databaseUrl = "postgresql://engage:a-password@postgres:5432/engage\n";

interface Linted {
  readonly messages: readonly { readonly rule: string; readonly message: string }[];
}

/**
 * Returns the faults by the Compose schema, and by the linter's rules other than those about order, quotes and ports.
 */
function lint(folder: string) {
  const rules = {
    "no-duplicate-exported-ports": 0,
    "no-quotes-in-volumes": 0,
    "no-unbound-port-interfaces": 0,
    "require-project-name-field": 0,
    "require-quotes-in-ports": 0,
    "service-dependencies-alphabetical-order": 0,
    "service-keys-order": 0,
    "service-ports-alphabetical-order": 0,
    "services-alphabetical-order": 0,
    "top-level-properties-order": 0,
  } as const;
  const linter = new DCLinter({ rules, quiet: false, debug: false, exclude: [] });
  // Its type declarations import files without their extensions, which the compiler does not find.
  const results: readonly Linted[] = linter.lintFiles([join(folder, "compose.yaml")], false);
  return results.flatMap(({ messages }) => messages.map(({ rule, message }) => `${rule}: ${message}`));
}

test("compose.yaml is valid by the Compose specification", () => {
  expect(lint(packageRoot)).toEqual([]);
  const faulty = text
    .replace("stop_grace_period: 15s", "stop_grace_time: 15s")
    .replace("nginx:1.28-alpine", "nginx");
  expect(lint(folderWith({ "compose.yaml": faulty })).map((found) => found.split(":")[0])).toEqual([
    "invalid-schema",
  ]);
  const untagged = text.replace("nginx:1.28-alpine", "nginx");
  expect(lint(folderWith({ "compose.yaml": untagged })).map((found) => found.split(":")[0])).toEqual([
    "service-image-require-explicit-tag",
  ]);
});

test("one service with its data in a volume starts without a profile", () => {
  expect(namesOf(({ profiles }) => profiles === undefined)).toEqual(["engage"]);
  expect(services["engage"]).toMatchObject({
    secrets: ["query_token", "webhook_secret"],
    volumes: ["data:/data"],
  });
  const config = configOf(services["engage"]!);
  expect(config).toMatchObject({
    listen: { host: "0.0.0.0", port: 8080 },
    auth: { mode: "keys", keys: [{ sha256 }] },
    stores: { driver: "embedded" },
  });
  expect(config.analysis.tokens[0]?.token).toBe("query_token of the test");
  expect(config.webhook.channels["push"]?.secrets[0]?.value).toBe("webhook_secret of the test");
});

test.each(["migrate", "replica"])("%s uses the shared stores of the profile scale", (name) => {
  const config = configOf(services[name]!);
  expect(config).toMatchObject({
    stores: {
      driver: "shared",
      postgres: { url: databaseUrl.trim() },
      clickhouse: { shards: ["http://clickhouse:8123"], password: "clickhouse_password of the test" },
    },
    webhook: { inbox: { driver: "postgres" } },
    events: { driver: "clickhouse" },
    limits: { trustedProxies: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"] },
  });
  expect(Number.parseInt(services["replica"]!.stop_grace_period!, 10) * 1_000).toBeGreaterThan(
    config.drainMs,
  );
});

test("replicas start when the stores have been migrated, and nginx when replicas respond", () => {
  const conditions = Object.fromEntries(
    namesOf(({ depends_on }) => depends_on !== undefined).map((name) => [name, services[name]!.depends_on]),
  );
  expect(conditions).toEqual({
    migrate: { postgres: { condition: "service_healthy" }, clickhouse: { condition: "service_healthy" } },
    replica: { migrate: { condition: "service_completed_successfully" } },
    nginx: { replica: { condition: "service_healthy" } },
  });
  expect(services["replica"]?.deploy).toEqual({ replicas: 2 });
  expect(
    ["postgres", "clickhouse", "nginx"].filter((name) => !Object.hasOwn(services[name]!, "healthcheck")),
  ).toEqual([]);
});

test("no store can be reached from outside, and nginx is the only way to replicas", () => {
  expect(namesOf(({ ports }) => ports !== undefined)).toEqual(["engage", "nginx"]);
  expect(compose.networks).toEqual({ stores: { internal: true } });
  expect(namesOf(({ networks }) => networks?.join() === "stores")).toEqual([
    "migrate",
    "postgres",
    "clickhouse",
  ]);
  const nginx = readFileSync(join(packageRoot, compose.configs.nginx.file), "utf8");
  const { listen } = configOf(services["replica"]!);
  expect([...nginx.matchAll(/server (\S+):(\d+) resolve/g)].map(([, ...place]) => place)).toEqual([
    ["replica", String(listen.port)],
    ["replica", String(listen.port)],
  ]);
  expect(services["nginx"]!.ports).toEqual([`8080:${/listen (\d+);/.exec(nginx)![1]}`]);
});

test("secrets are files, each is used, and every volume is named", () => {
  const used = Object.values(services).flatMap(({ secrets = [] }) => secrets);
  expect(new Set(used)).toEqual(new Set(Object.keys(compose.secrets)));
  for (const { environment = {}, secrets = [] } of Object.values(services)) {
    const files = Object.entries(environment).filter(([name]) => /PASSWORD|TOKEN|SECRET|URL/.test(name));
    for (const [name, path] of files) {
      expect(name).toMatch(/_FILE$/);
      expect(secrets.map((secret) => `/run/secrets/${secret}`)).toContain(path);
    }
  }
  expect(compose.configs.engage.content).not.toMatch(/(token|value): [^{]/);
  expect(Object.keys(compose.volumes)).toEqual(["data", "postgres", "clickhouse"]);
});
