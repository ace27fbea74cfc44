import { createHash } from "node:crypto";
import { noProject } from "../known-projects.ts";
import { isLoopback } from "../listen.ts";
import type { ConfigPath } from "../problem.ts";
import type { Config } from "../resolve.ts";
import type { Settings } from "../schema/schema.ts";
import { checkTlsFiles, type Finding } from "../tls-files.ts";
import { checkAnalysis } from "./analysis.ts";
import { checkChannel } from "./channel.ts";
import { checkEvents } from "./event.ts";
import { checkFiles, type SourceFile } from "./files.ts";
import { checkStores } from "./stores.ts";
import { checkWebhook } from "./webhook.ts";

/** The public secrets of engage.demo.yaml. */
export const demo = { appid: "demo-app", token: "demo-token", secret: "demo-secret" } as const;
const demoTokenSha256 = createHash("sha256").update(demo.token).digest("hex");

/**
 * Checks rules between settings, and the files that they name.
 * @param sources the files that the settings were read from
 */
export function checkRules(settings: Settings, config: Config, sources: readonly SourceFile[]): Finding[] {
  const isPublic = !isLoopback(config.listen.host);
  return [
    ...checkAuth(settings, isPublic),
    ...(isPublic ? checkDemoSecrets(settings) : []),
    ...checkMetrics(settings),
    ...checkProjects(settings),
    ...checkEvents(settings),
    ...checkAnalysis(settings, config),
    ...checkNames(settings),
    ...checkTlsFiles(settings, config),
    ...checkWebhook(settings, config),
    ...checkChannel(settings, config),
    ...checkStores(settings, config),
    ...checkFiles(settings, config, sources),
  ];
}

function checkAuth({ auth, tls, listen }: Settings, isPublic: boolean): Finding[] {
  if (auth.mode === "keys" && auth.keys.length === 0 && auth.certificates === undefined) {
    const message = "mode is \"keys\" but there are no keys: create one with 'engage key create NAME'";
    return [{ path: ["auth", "keys"], message }];
  }
  if (auth.certificates !== undefined && tls?.ca === undefined) {
    return [
      {
        path: ["auth", "certificates"],
        message: "requires tls.ca, without which callers present no certificates",
        needs: ["tls"],
      },
    ];
  }
  const isDecided = auth.mode !== undefined || auth.keys.length > 0 || tls?.ca !== undefined;
  if (isDecided || !isPublic) return [];
  const message = [
    `other machines can reach ${JSON.stringify(listen)}, so authentication must be configured: either set keys`,
    "        auth:",
    "          keys: # created with 'engage key create NAME'",
    '            - { name: shipper, sha256: "…", methods: ["proto.Parser/*"] }',
    "      (or tls.ca, to require client certificates), or allow all callers",
    "        auth: { mode: off }",
  ];
  return [{ path: ["auth"], message: message.join("\n"), needs: ["tls"] }];
}

function checkMetrics({ metrics, auth, tls }: Settings): Finding[] {
  if (metrics.auth === "off" || auth.keys.length > 0 || tls?.ca !== undefined) return [];
  const message = "is \"keys\" but there are no keys: create one with 'engage key create NAME'";
  return [{ path: ["metrics", "auth"], message, needs: ["auth"] }];
}

function checkDemoSecrets(settings: Settings): Finding[] {
  const refuse = (path: ConfigPath, kind: string): Finding => ({
    path,
    message: `is the public ${kind} of the demo, which is refused on ${JSON.stringify(settings.listen)}: set another one`,
  });
  const appids = settings.projects.flatMap(({ appids }, i) =>
    appids.flatMap((appid, j) =>
      appid === demo.appid ? [refuse(["projects", i, "appids", j], "appid")] : [],
    ),
  );
  const tokens = settings.analysis.tokens.flatMap(({ token, sha256 }, i) => {
    const isDemo = token === demo.token || sha256?.toLowerCase() === demoTokenSha256;
    return isDemo
      ? [refuse(["analysis", "tokens", i, token === undefined ? "sha256" : "token"], "token")]
      : [];
  });
  const secrets = Object.entries(settings.webhook.channels).flatMap(([channel, { secrets }]) =>
    secrets.flatMap(({ value }, i) =>
      value === demo.secret
        ? [refuse(["webhook", "channels", channel, "secrets", i, "value"], "secret")]
        : [],
    ),
  );
  return [...appids, ...tokens, ...secrets];
}

function checkProjects({ projects, analysis }: Settings): Finding[] {
  const ids = projects.map(({ id }) => id);
  return analysis.tokens.flatMap(({ projects: wanted }, i) =>
    (wanted === "*" ? [] : wanted).flatMap((id, j): Finding[] =>
      ids.includes(id)
        ? []
        : [
            {
              path: ["analysis", "tokens", i, "projects", j],
              message: noProject(id, ids),
              needs: ["projects"],
              named: id,
            },
          ],
    ),
  );
}

/** Checks names that must be unique. */
function checkNames({ projects, analysis, auth }: Settings): Finding[] {
  const repeated = (values: readonly (readonly [unknown, ConfigPath])[]): Finding[] =>
    values.flatMap(([value, path], i) =>
      values.findIndex(([other]) => other === value) < i
        ? [{ path, message: `${JSON.stringify(value)} is already used by an entry above` }]
        : [],
    );
  return [
    ...repeated(auth.keys.map(({ name }, i) => [name, ["auth", "keys", i, "name"]])),
    ...repeated(auth.keys.map(({ sha256 }, i) => [sha256.toLowerCase(), ["auth", "keys", i, "sha256"]])),
    ...repeated(analysis.tokens.map(({ name }, i) => [name, ["analysis", "tokens", i, "name"]])),
    ...repeated(projects.map(({ id }, i) => [id, ["projects", i, "id"]])),
    ...repeated(
      projects.flatMap(({ appids }, i) =>
        appids.map((appid, j) => [appid, ["projects", i, "appids", j]] as const),
      ),
    ),
  ];
}
