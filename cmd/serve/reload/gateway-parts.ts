import { readFileSync } from "node:fs";
import { errorMessage } from "../../../base/text/system-error.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import type { TlsOptions } from "../../../gateway/http/server-options.ts";
import type { SitesOptions } from "../../../gateway/sites/sites.ts";
import type { Config } from "../../config/config.ts";
import { ConfigError } from "../../config/problem.ts";
import type { ReloadablePart } from "./reload.ts";

/** Creates the part that changes limits and the rules for pages of other sites. */
export function createLimitsPart(
  gateway: Pick<Gateway, "prepare">,
  sitesOf: (config: Config) => SitesOptions,
): ReloadablePart {
  return {
    name: "limits",
    prepare: async (config) => ({
      apply: gateway.prepare({ limits: config.limits, sites: sitesOf(config) }),
    }),
  };
}

/** Creates the part that changes the certificate of the port, for new connections. */
export function createTlsPart(gateway: Pick<Gateway, "prepareTls">): ReloadablePart {
  return {
    name: "certificate",
    canChange: (running, wanted) =>
      running.tls !== undefined &&
      wanted.tls !== undefined &&
      (running.tls.ca === undefined) === (wanted.tls.ca === undefined),
    async prepare({ tls }, locate) {
      try {
        return { apply: gateway.prepareTls(readTls(tls!)) };
      } catch (error) {
        throw new ConfigError([locate(["tls"], errorMessage(error))]);
      }
    },
  };
}

export function readTls({ cert, key, ca }: NonNullable<Config["tls"]>): TlsOptions {
  return {
    cert: readFileSync(cert),
    key: readFileSync(key),
    ...(ca !== undefined && { ca: readFileSync(ca) }),
  };
}
