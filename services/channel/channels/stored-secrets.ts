import { defaultSignatureHeader } from "../../../base/net/signature.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import type {
  Channel,
  ChannelAuthentication,
  CustomHeader,
} from "../../../gen/engage/channel/v1/channel_pb.ts";
import { violationOf } from "./names.ts";

export interface ResolvedSecrets {
  /** Undefined: requests are not signed. */
  readonly authentication: Pick<ChannelAuthentication, "secret" | "headerName"> | undefined;
  readonly customHeaders: readonly Pick<CustomHeader, "name" | "value">[];
  /** Changes that would send a stored secret to another server, and contradictory fields. */
  readonly violations: readonly Violation[];
  /** Sentences about secrets that are kept because they are omitted. */
  readonly warnings: readonly string[];
}

/**
 * Determines the secrets of a changed channel: omitted secrets are kept, but only for the server for which they were
 * set. Callers cannot read secrets, and must not obtain them by setting the URL of their own server.
 * @param stored the channel before the change; undefined for a new one
 */
export function resolveSecrets(given: Channel, stored: Channel | undefined): ResolvedSecrets {
  const move = stored && moveOf(stored.url, given.url);
  const [signing, headers] = [resolveSigning(given, stored, move), resolveHeaders(given, stored, move)];
  return {
    authentication: signing.value,
    customHeaders: headers.value,
    violations: [...signing.violations, ...headers.violations],
    warnings: [...signing.warnings, ...headers.warnings],
  };
}

interface Resolved<T> {
  readonly value: T;
  readonly violations: readonly Violation[];
  readonly warnings: readonly string[];
}

function resolveSigning(
  { authentication }: Channel,
  stored: Channel | undefined,
  move: string | undefined,
): Resolved<ResolvedSecrets["authentication"]> {
  const known = stored?.authentication;
  if (authentication?.off) {
    const isGiven = authentication.secret !== "";
    const problem = isGiven ? "is set together with a secret, valid is one of them" : undefined;
    return { value: undefined, violations: violationOf("authentication.off", problem), warnings: [] };
  }
  if (authentication === undefined && known === undefined) {
    return { value: undefined, violations: [], warnings: [] };
  }
  const { secret = "", headerName = "" } = authentication ?? {};
  const value = {
    secret: secret || (known?.secret ?? ""),
    headerName: headerName || known?.headerName || defaultSignatureHeader,
  };
  if (secret !== "" || known === undefined) return { value, violations: [], warnings: [] };
  const problem = move && `${move}, give it again or set authentication.off`;
  const isNamed = authentication !== undefined;
  return {
    value,
    violations: violationOf("authentication.secret", problem),
    warnings: isNamed
      ? []
      : ["authentication was not given and is kept, set authentication.off to remove it"],
  };
}

function resolveHeaders(
  { customHeaders, noCustomHeaders }: Channel,
  stored: Channel | undefined,
  move: string | undefined,
): Resolved<ResolvedSecrets["customHeaders"]> {
  const known = new Map(stored?.customHeaders.map((header) => [header.name.toLowerCase(), header]));
  if (noCustomHeaders) {
    const isGiven = customHeaders.length > 0;
    const problem = isGiven ? "is set together with custom_headers, valid is one of them" : undefined;
    return { value: [], violations: violationOf("no_custom_headers", problem), warnings: [] };
  }
  if (customHeaders.length === 0) {
    const headers = [...known.values()].map(({ name, value }) => ({ name, value }));
    if (headers.length === 0) return { value: headers, violations: [], warnings: [] };
    const names = headers.map(({ name }) => name).join(", ");
    const problem = move && `${move}: give ${names} again or set no_custom_headers`;
    return {
      value: headers,
      violations: violationOf("custom_headers", problem),
      warnings: [`custom_headers was not given and is kept (${names}), set no_custom_headers to remove it`],
    };
  }
  const storedOf = (name: string): string => known.get(name.toLowerCase())?.value ?? "";
  const given = new Set(customHeaders.map(({ name }) => name.toLowerCase()));
  const removed = [...known].filter(([key]) => !given.has(key)).map(([, { name }]) => name);
  return {
    value: customHeaders.map(({ name, value }) => ({ name, value: value || storedOf(name) })),
    violations: customHeaders.flatMap(({ name, value }, i) => {
      const usesStored = value === "" && storedOf(name) !== "";
      return violationOf(
        `custom_headers[${i}].value`,
        usesStored && move ? `${move}, give it again` : undefined,
      );
    }),
    warnings: removed.length === 0 ? [] : [`custom_headers no longer has ${removed.join(", ")}`],
  };
}

/** Explains that a stored secret is not for the server of the new URL; undefined if it is the same server. */
function moveOf(before: string, after: string): string | undefined {
  const [from, to] = [URL.parse(before)?.origin, URL.parse(after)?.origin];
  // The check of the URL reports an invalid one.
  if (from === undefined || to === undefined || from === to) return undefined;
  return `is stored for ${from} only and not sent to ${to}`;
}
