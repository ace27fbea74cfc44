import type { Refusal, RefusalKind } from "../receive/refusal.ts";
import type { RequiredHeader } from "../receive/required-headers.ts";
import type { Secret } from "../receive/signature.ts";
import { compileByteMask } from "./mask.ts";

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
  /** Hides the secrets that the channels have now too. Earlier ones stay hidden, since senders may still use them. */
  hideNewSecrets(): void;
}

export interface RefusedRequestsOptions {
  readonly channels: ReadonlyMap<string, SecretsOfChannel>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface SecretsOfChannel {
  readonly secrets: readonly Secret[] | undefined;
  /** Their values may be secret. */
  readonly requiredHeaders: readonly RequiredHeader[];
}

/** Requests that are kept of each channel, and of all that are not configured. */
const maxRequests = 200;
/** Requests that are kept of all channels: about 40 MiB. */
const maxOfAll = 8_000;
/** Shorter values of headers are words, such as `1`, rather than secrets. */
const shortestHeaderSecret = 6;
const maxBodyBytes = 4_096;
const maxNameCharacters = 100;
const maxTextCharacters = 1_024;

export function createRefusedRequests({ channels, now }: RefusedRequestsOptions): RefusedRequests {
  let hidden = distinct(secretsOf(channels));
  let withoutSecrets = createMasks(hidden);
  const ofChannels = new Map<string, RefusedRequest[]>();
  let count = 0;
  let keptOfAll = 0;
  return {
    add(channel, { kind, message, detail = "" }, body) {
      const isConfigured = channels.has(channel);
      const place = isConfigured ? `configured ${channel}` : "";
      const kept = ofChannels.get(place) ?? [];
      ofChannels.set(place, kept);
      kept.push({
        number: ++count,
        atMs: now(),
        channel: isConfigured ? channel : withoutSecrets.text(channel, maxNameCharacters),
        kind,
        message: withoutSecrets.text(message, maxTextCharacters),
        cause: withoutSecrets.text(detail, maxTextCharacters),
        body: withoutSecrets.body(body ?? new Uint8Array()),
        bodyBytes: body?.length,
      });
      keptOfAll++;
      const full =
        kept.length > maxRequests ? kept : keptOfAll > maxOfAll ? longestOf(ofChannels) : undefined;
      if (full?.shift() !== undefined) keptOfAll--;
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
    hideNewSecrets() {
      hidden = distinct([...hidden, ...secretsOf(channels)]);
      withoutSecrets = createMasks(hidden);
    },
  };
}

function distinct(secrets: readonly Uint8Array[]): readonly Uint8Array[] {
  return [...new Map(secrets.map((secret) => [Buffer.from(secret).toString("base64"), secret])).values()];
}

function secretsOf(channels: ReadonlyMap<string, SecretsOfChannel>): readonly Uint8Array[] {
  return [...channels.values()].flatMap(({ secrets = [], requiredHeaders }) => [
    ...secrets.map(({ key }) => key.export()),
    ...requiredHeaders.map(({ value }) => value).filter(({ length }) => length >= shortestHeaderSecret),
  ]);
}

/** Returns the channel with the most requests, whose oldest one makes place. */
function longestOf(ofChannels: ReadonlyMap<string, RefusedRequest[]>): RefusedRequest[] {
  let longest: RefusedRequest[] = [];
  for (const kept of ofChannels.values()) if (kept.length > longest.length) longest = kept;
  return longest;
}

/** Copies what a stranger sent, with asterisks for secrets. */
interface Masks {
  body(body: Uint8Array): Uint8Array;
  text(text: string, maxCharacters: number): string;
}

function createMasks(secrets: readonly Uint8Array[]): Masks {
  const forms = secrets.flatMap(formsOf);
  const mask = compileByteMask(forms);
  // A secret may begin before the end of what is kept.
  const longest = forms.reduce((max, { length }) => Math.max(max, length), 0);
  return {
    body(body) {
      const copy = Buffer.from(body.subarray(0, maxBodyBytes + longest));
      mask(copy);
      // Copied, so that what is kept is no part of a larger buffer.
      return new Uint8Array(copy.subarray(0, maxBodyBytes));
    },
    text(text, maxCharacters) {
      const copy = Buffer.from(text.slice(0, maxCharacters + longest));
      mask(copy);
      return copy.toString("utf8").slice(0, maxCharacters).toWellFormed();
    },
  };
}

/** A secret as it is, and as it stands within a text of JSON, as in quoted values of messages. */
function formsOf(secret: Uint8Array): readonly Uint8Array[] {
  const text = Buffer.from(secret).toString("utf8");
  const written = JSON.stringify(text).slice(1, -1);
  return written === text ? [secret] : [secret, Buffer.from(written)];
}
