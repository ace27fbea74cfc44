import type { Refusal, RefusalKind } from "../receive/refusal.ts";
import type { Secret } from "../receive/signature.ts";

/** A request that was refused as a whole. */
export interface RefusedRequest {
  /** Counts up from 1, over all channels. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly channel: string;
  readonly kind: RefusalKind;
  readonly message: string;
  /** The likely cause; empty when none is known. */
  readonly cause: string;
  /** The beginning of the body, without secrets. */
  readonly body: Uint8Array;
  /** The size of the whole body; undefined when it was not read. */
  readonly bodyBytes: number | undefined;
}

/** Selects requests; what is undefined matches all. */
export interface RefusedFilter {
  readonly channel?: string | undefined;
  readonly kind?: RefusalKind | undefined;
}

/** The latest refused requests of a process. What they take of its memory is bounded, whatever strangers send. */
export interface RefusedRequests {
  add(channel: string, refusal: Refusal, body?: Uint8Array): void;
  /** Lists those with a number below `before`, the newest first. */
  list(filter: RefusedFilter, before: number, limit: number): readonly RefusedRequest[];
}

export interface RefusedRequestsOptions {
  readonly channels: ReadonlyMap<string, { readonly secrets: readonly Secret[] | undefined }>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Requests that are kept of each channel, and of all that are not configured. */
const maxRequests = 200;
const maxBodyBytes = 4_096;
const maxNameCharacters = 100;
const maxTextCharacters = 1_024;

export function createRefusedRequests({ channels, now }: RefusedRequestsOptions): RefusedRequests {
  const secrets = [...channels.values()].flatMap((channel) => channel.secrets ?? []);
  const withoutSecrets = createMask(secrets.map(({ key }) => key.export()));
  const ofChannels = new Map<string, RefusedRequest[]>();
  let count = 0;
  return {
    add(channel, { kind, message, detail = "" }, body) {
      const place = channels.has(channel) ? `configured ${channel}` : "";
      const kept = ofChannels.get(place) ?? [];
      ofChannels.set(place, kept);
      kept.push({
        number: ++count,
        atMs: now(),
        channel: channel.slice(0, maxNameCharacters),
        kind,
        message: message.slice(0, maxTextCharacters),
        cause: detail.slice(0, maxTextCharacters),
        body: withoutSecrets(body ?? new Uint8Array()),
        bodyBytes: body?.length,
      });
      if (kept.length > maxRequests) kept.shift();
    },
    list({ channel, kind }, before, limit) {
      return [...ofChannels.values()]
        .flat()
        .filter(
          (one) =>
            one.number < before &&
            (channel === undefined || one.channel === channel) &&
            (kind === undefined || one.kind === kind),
        )
        .sort((a, b) => b.number - a.number)
        .slice(0, limit);
    },
  };
}

/** Returns a function that copies the beginning of a body, with asterisks for secrets. */
function createMask(secrets: readonly Uint8Array[]): (body: Uint8Array) => Uint8Array {
  // A secret may contain a shorter one.
  const longestFirst = secrets.filter(({ length }) => length > 0).sort((a, b) => b.length - a.length);
  // A secret may begin before the end of what is kept.
  const searchedBytes = maxBodyBytes + (longestFirst[0]?.length ?? 0);
  return (body) => {
    const copy = Buffer.from(body.subarray(0, searchedBytes));
    for (const secret of longestFirst) {
      for (let at = copy.indexOf(secret); at >= 0; at = copy.indexOf(secret, at + secret.length)) {
        copy.fill("*", at, at + secret.length);
      }
    }
    // Copied, so that what is kept is no part of a larger buffer.
    return new Uint8Array(copy.subarray(0, maxBodyBytes));
  };
}
