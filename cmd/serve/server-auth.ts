import { type AuthOptions, createAuthorizer, createRequireKey, type RequireKey } from "../../gateway/auth.ts";
import type { Authorize } from "../../gateway/gateway-context.ts";
import { createAttemptLimit } from "../../gateway/sessions/attempts.ts";
import { createSessions, type Sessions, type SessionsOptions } from "../../gateway/sessions/sessions.ts";
import type { Config } from "../config/config.ts";
import type { ReloadablePart } from "./reload/reload.ts";

export type AuthRules = Pick<Config["auth"], "keys" | "certificates">;

/** The checks of callers. They follow the keys and certificates, which may change while the server runs. */
export interface ServerAuth {
  readonly authorize: Authorize;
  readonly requireKey: RequireKey;
  readonly sessions: Sessions;
  /** Returns the keys and certificates in effect. */
  readonly rules: () => AuthRules;
  readonly part: ReloadablePart;
}

interface Checks {
  readonly authorize: Authorize;
  readonly requireKey: RequireKey;
  readonly sessions: Sessions;
}

/**
 * Creates the checks of callers.
 * @param changed is called after keys or certificates have changed
 * @throws Error when a rule is malformed or two keys are the same
 */
export function createServerAuth(
  { auth, console }: Pick<Config, "auth" | "console">,
  changed: () => void = () => {},
): ServerAuth {
  // Wrong keys count over all changes.
  const attempts = createAttemptLimit();
  const create = (wanted: Config["auth"]): Checks => createChecks({ ...wanted, attempts }, console);
  let rules: AuthRules = auth;
  let current = create(auth);
  return {
    authorize: (record, served, header) => current.authorize(record, served, header),
    requireKey: (request) => current.requireKey(request),
    sessions: {
      keyOf: (cookies) => current.sessions.keyOf(cookies),
      endpoint: {
        methods: current.sessions.endpoint.methods,
        respond: (request) => current.sessions.endpoint.respond(request),
      },
    },
    rules: () => rules,
    part: {
      name: "keys",
      dependsOn: [["auth", "mode"]],
      async prepare(config) {
        const next = create(config.auth);
        return {
          apply() {
            current = next;
            rules = config.auth;
            changed();
          },
        };
      },
    },
  };
}

function createChecks(auth: SessionsOptions & AuthRules, hasConsole: boolean): Checks {
  const sessions = createSessions(auth);
  const options: AuthOptions = { ...auth, sessionKeyOf: hasConsole ? sessions.keyOf : undefined };
  return { authorize: createAuthorizer(options), requireKey: createRequireKey(options), sessions };
}
