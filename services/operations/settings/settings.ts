import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { createErrorMapping, retryLater } from "../../../base/rpc/map-errors.ts";
import { type PageFields, readPage, writePageToken } from "../../../base/rpc/paging.ts";
import {
  type EventLagSchema,
  GetConfigurationResponseSchema,
  GetHealthResponseSchema,
  GetVersionResponseSchema,
  HealthState,
  ListKeysResponseSchema,
  ListTokensResponseSchema,
  type SettingSchema,
  type Settings,
  SourceKind,
  type TokenInfoSchema,
} from "../../../gen/engage/operations/v1/settings_pb.ts";

/** A value without secrets. */
export interface ShownSetting {
  readonly path: string;
  /** Undefined if it is hidden. */
  readonly value: unknown;
  readonly isHidden: boolean;
  readonly isShortened: boolean;
  readonly source:
    | { readonly kind: "default" }
    | { readonly kind: "file"; readonly file: string; readonly line: number }
    | { readonly kind: "environment"; readonly variable: string };
  readonly secretFile: string | undefined;
}

export interface ShownConfiguration {
  readonly file: string;
  readonly fileNamedBy: "command_line" | "environment" | "default";
  readonly isDemo: boolean;
  readonly values: readonly ShownSetting[];
}

export interface ShownToken {
  readonly name: string;
  readonly projects: "*" | readonly number[];
  readonly rateLimit?: { readonly perSecond: number; readonly burst: number } | undefined;
  /** ISO 8601; undefined for tokens of the configuration. */
  readonly created: string | undefined;
}

export interface HealthPart {
  readonly name: string;
  readonly state: "ok" | "degraded" | "failed";
  readonly reason: string;
}

/** The records that were acknowledged and cannot be queried yet. */
export interface EventLag {
  readonly waitingBytes: number;
  /** About their number; undefined when it cannot be estimated. */
  readonly records: number | undefined;
  /** How long the first has waited. */
  readonly lagMs: number;
}

/** What the service shows, which must be without secrets. */
export interface SettingsOptions {
  readonly configuration: () => Promise<ShownConfiguration>;
  readonly keys: readonly {
    readonly name: string;
    readonly methods: readonly string[];
    /** Whether it may call only methods that change nothing. */
    readonly isReadOnly: boolean;
  }[];
  readonly certificates: readonly { readonly subject: string; readonly methods: readonly string[] }[];
  readonly isKeyRequired: boolean;
  /** Returns undefined while the tokens cannot be read. */
  readonly tokens: () => readonly ShownToken[] | undefined;
  readonly health: () => Promise<readonly HealthPart[]>;
  /** Returns undefined while it is unknown. */
  readonly eventLag: () => Promise<EventLag | undefined>;
  readonly version: {
    readonly version: string;
    readonly nodeVersion: string;
    /** Milliseconds since 1970. */
    readonly startedMs: number;
  };
}

const { mapErrors } = createErrorMapping(() => undefined);

/** The Settings service. */
export function createSettings(options: SettingsOptions): ServiceImpl<typeof Settings> {
  const { version } = options;
  return {
    async getConfiguration({ path }) {
      const { file, fileNamedBy, isDemo, values } = await options.configuration();
      const selected = path === "" ? values : values.filter((value) => isBelow(value.path, path));
      return create(GetConfigurationResponseSchema, {
        file,
        fileNamedBy: sourceKinds[fileNamedBy],
        isDemo,
        settings: selected.map(toSetting),
      });
    },
    listKeys: (request) =>
      mapErrors(async () => {
        const { page, nextPageToken } = pageOf(options.keys, ({ name }) => name, request, "keys");
        return create(ListKeysResponseSchema, {
          required: options.isKeyRequired,
          keys: page.map(({ name, methods, isReadOnly }) => ({
            name,
            methods: [...methods],
            readOnly: isReadOnly,
          })),
          certificates: options.certificates.map(({ subject, methods }) => ({
            subject,
            methods: [...methods],
          })),
          nextPageToken,
        });
      }),
    listTokens: (request) =>
      mapErrors(async () => {
        const tokens = options.tokens();
        if (tokens === undefined) throw retryLater("the tokens are temporarily unavailable", retryMs);
        const { page, nextPageToken } = pageOf(tokens, idOfToken, request, "tokens");
        return create(ListTokensResponseSchema, { tokens: page.map(toToken), nextPageToken });
      }),
    async getHealth() {
      const [parts, lag] = await Promise.all([options.health(), options.eventLag()]);
      return create(GetHealthResponseSchema, {
        ready: parts.every(({ state }) => state !== "failed"),
        parts: parts.map(({ name, state, reason }) => ({ name, state: healthStates[state], reason })),
        ...(lag !== undefined && { eventLag: toEventLag(lag) }),
      });
    },
    getVersion: () =>
      create(GetVersionResponseSchema, {
        version: version.version,
        nodeVersion: version.nodeVersion,
        startedTime: timestampFromMs(version.startedMs),
      }),
  };
}

const retryMs = 1_000;

/** Whether a value is the one at the path, or in the section or list at the path. */
function isBelow(path: string, ancestor: string): boolean {
  if (!path.startsWith(ancestor)) return false;
  const next = path.charAt(ancestor.length);
  return next === "" || next === "." || next === "[";
}

/** Returns a page of a list in the order of its ids. */
function pageOf<T>(
  items: readonly T[],
  idOf: (item: T) => string,
  request: PageFields,
  list: string,
): { readonly page: readonly T[]; readonly nextPageToken: string } {
  const { limit, after } = readPage(request, [list]);
  const sorted = items
    .map((item) => ({ id: idOf(item), item }))
    .filter(({ id }) => after === undefined || id > after)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const page = sorted.slice(0, limit);
  const next = sorted.length > limit ? page.at(-1)!.id : null;
  return { page: page.map(({ item }) => item), nextPageToken: writePageToken(next, [list]) };
}

/** A token of a command may have the name of one of the configuration. */
function idOfToken({ name, created }: ShownToken): string {
  return `${name} ${created === undefined ? "configured" : "created"}`;
}

const sourceKinds = {
  default: SourceKind.DEFAULT,
  file: SourceKind.FILE,
  environment: SourceKind.ENVIRONMENT,
  command_line: SourceKind.COMMAND_LINE,
} as const;

const healthStates = {
  ok: HealthState.OK,
  degraded: HealthState.DEGRADED,
  failed: HealthState.FAILED,
} as const;

function toEventLag({ waitingBytes, records, lagMs }: EventLag): MessageInitShape<typeof EventLagSchema> {
  return {
    ...(records !== undefined && { approximateRecords: BigInt(records) }),
    waitingBytes: BigInt(waitingBytes),
    lag: durationFromMs(Math.round(lagMs)),
  };
}

function toSetting(shown: ShownSetting): MessageInitShape<typeof SettingSchema> {
  const { path, value, isHidden, isShortened, source, secretFile = "" } = shown;
  return {
    path,
    json: isHidden ? "" : JSON.stringify(value),
    hidden: isHidden,
    shortened: isShortened,
    source: {
      kind: sourceKinds[source.kind],
      ...(source.kind === "file" && { file: source.file, line: source.line }),
      ...(source.kind === "environment" && { variable: source.variable }),
      secretFile,
    },
  };
}

function toToken({
  name,
  projects,
  rateLimit,
  created,
}: ShownToken): MessageInitShape<typeof TokenInfoSchema> {
  return {
    name,
    allProjects: projects === "*",
    projectIds: projects === "*" ? [] : projects.map(BigInt),
    perSecond: rateLimit?.perSecond ?? 0,
    burst: rateLimit?.burst ?? 0,
    isConfigured: created === undefined,
    ...(created !== undefined && { createdTime: timestampFromMs(Date.parse(created)) }),
  };
}
