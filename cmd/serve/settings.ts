import { packageVersion } from "../../base/package/root.ts";
import { degraded, isReadyWith, runChecks } from "../../gateway/health/ready-checks.ts";
import { type ServedService, serve } from "../../gateway/methods.ts";
import { Settings } from "../../gen/engage/operations/v1/settings_pb.ts";
import { createSettings, type HealthPart } from "../../services/operations/settings/settings.ts";
import { TokensUnavailableError } from "../../store/tokens/tokens.ts";
import type { Config, DescribedConfig } from "../config/config.ts";
import type { AuthRules } from "./server-auth.ts";
import type { OpenServices } from "./services.ts";

interface Described {
  /** Describes the configuration, as it was read last. */
  readonly describe: () => DescribedConfig;
  /** Returns the keys and certificates in effect. */
  readonly rules: () => AuthRules;
}

/** Creates the service Settings from what the server is made of. */
export function serveSettings(
  { auth }: Config,
  { describe, rules }: Described,
  { checks, listTokens, eventLag }: Pick<OpenServices, "checks" | "listTokens" | "eventLag">,
): ServedService {
  const startedMs = Date.now();
  const settings = createSettings({
    configuration: async () => describe(),
    get keys() {
      return rules().keys.map(({ name, methods, access }) => ({
        name,
        methods,
        isReadOnly: access === "read",
      }));
    },
    get certificates() {
      return (rules().certificates ?? []).map(({ subject, methods }) => ({ subject, methods }));
    },
    isKeyRequired: auth.mode === "keys",
    tokens() {
      try {
        return listTokens();
      } catch (error) {
        if (error instanceof TokensUnavailableError) return undefined;
        throw error;
      }
    },
    health: async () => Object.entries(await runChecks(checks())).map(partOf),
    eventLag,
    version: { version: packageVersion(), nodeVersion: process.version, startedMs },
  });
  return serve(Settings, settings);
}

function partOf([name, result]: [string, string]): HealthPart {
  if (result === "ok") return { name, state: "ok", reason: "" };
  if (!isReadyWith(result)) return { name, state: "failed", reason: result };
  return { name, state: "degraded", reason: result.slice(degraded.length) };
}
