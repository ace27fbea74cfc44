import type { ConfigPath } from "../problem.ts";
import type { Config } from "../resolve.ts";
import type { Settings } from "../schema/schema.ts";
import type { Finding } from "../tls-files.ts";
import { checkDatabaseUrl } from "./webhook.ts";

const inboxPath: ConfigPath = ["webhook", "inbox"];

/** Checks the section `channel`: which settings belong to which driver. */
export function checkChannel({ channel: { store } }: Settings, config: Config): Finding[] {
  const { inbox } = config.webhook;
  const path = (name: string): ConfigPath => ["channel", "store", name];
  const driver = store.driver ?? inbox.driver;
  if (driver === "sqlite") {
    return store.url === undefined
      ? []
      : [{ path: path("url"), message: "is for driver postgres", needs: inboxPath }];
  }
  const findings: Finding[] = [];
  for (const name of ["file", "minFreeBytes"] as const) {
    if (store[name] !== undefined)
      findings.push({ path: path(name), message: "is for driver sqlite", needs: inboxPath });
  }
  if (store.url !== undefined) findings.push(...checkDatabaseUrl(path("url"), store.url));
  else if (inbox.url === undefined && store.driver === "postgres") {
    findings.push({ path: path("url"), message: "is required by driver postgres", needs: inboxPath });
  }
  return findings;
}
