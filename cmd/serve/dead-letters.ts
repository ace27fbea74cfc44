import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type ServedService, serve } from "../../gateway/methods.ts";
import { DeadLetters } from "../../gen/engage/operations/v1/dead_letters_pb.ts";
import { indexOfProject, projectOfIndex } from "../../services/event/ingest/refused-records.ts";
import { createDeadLetters } from "../../services/operations/dead-letters/dead-letters.ts";
import { createListedSource, type ListedOptions } from "../../services/operations/dead-letters/listed.ts";
import {
  createMessageSource,
  type MessagesOptions,
} from "../../services/operations/dead-letters/messages.ts";
import {
  createEmptySource,
  type DeadLetterSource,
  followSource,
} from "../../services/operations/dead-letters/source.ts";
import { DeadLettersUnavailableError } from "../../store/deadletters/deadletters.ts";
import type { Leases } from "../../store/leases/leases.ts";
import type { Config } from "../config/config.ts";
import { createDeadLetterList } from "./data/dead-letters.ts";
import { eventsDatabase, sharedDatabase } from "./shared/databases.ts";
import { clickFolder } from "./webhook/click-spool.ts";

/** How dead letters are handed on again: by a function, or why not at all. */
export interface Replays {
  readonly clicks: ListedOptions["replay"];
  readonly lines: ListedOptions["replay"];
  readonly records: ListedOptions["replay"];
}

export interface DeadLetterPorts {
  /** Returns undefined while the server stores no messages. */
  readonly inbox: () => MessagesOptions["inbox"] | undefined;
  readonly replays: Replays;
  /** Undefined when all is in the data folder. */
  readonly leases: Leases | undefined;
  readonly now: () => number;
}

export interface DeadLetterService extends AsyncDisposable {
  readonly service: ServedService;
}

/** Creates the service of dead letters. Nothing is read before its first call. */
export async function openDeadLetterService(
  config: Config,
  { inbox, replays, leases, now }: DeadLetterPorts,
): Promise<DeadLetterService> {
  await using opened = new AsyncDisposableStack();
  const database = sharedDatabase(config);
  const { data, parser, events } = config;
  const places = {
    click: { list: "clicks", file: join(clickFolder(config), "dead-letters.ndjson"), database },
    parser: { list: "parser", file: join(data, parser.deadLetters.file), database },
    record: {
      list: "events",
      file: join(data, events.deadLetters.file),
      database: eventsDatabase(config) ?? database,
      byIndex: true,
    },
  };
  const listed = async (kind: keyof typeof places, replay: ListedOptions["replay"]) => ({
    list: opened.use(await createDeadLetterList(places[kind])),
    replay,
    acquire: createRight(places[kind].database && leases, places[kind].list),
  });
  const projects = { of: projectOfIndex, indexOf: indexOfProject };
  const sources = {
    webhook: createWebhookSource(inbox),
    click: createListedSource(await listed("click", replays.clicks)),
    parser: createListedSource(await listed("parser", replays.lines)),
    record: createListedSource({ ...(await listed("record", replays.records)), projects }),
  };
  const stack = opened.move();
  return {
    service: serve(DeadLetters, createDeadLetters({ sources, now, monotonicMs: () => performance.now() })),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** A reload may open the inbox. */
function createWebhookSource(inbox: DeadLetterPorts["inbox"]): DeadLetterSource {
  const empty = createEmptySource(
    "this server stores no messages: webhook.channels and webhook.targets are empty",
  );
  let opened: DeadLetterSource | undefined;
  return followSource(() => {
    const found = inbox();
    if (found === undefined) return empty;
    opened ??= createMessageSource({ inbox: found, newNonce: randomUUID });
    return opened;
  });
}

/** Of replicas, one at a time replays the same dead letters; of the calls of a process too. */
function createRight(leases: Leases | undefined, list: string): ListedOptions["acquire"] {
  let isHeld = false;
  return async () => {
    if (isHeld) return undefined;
    isHeld = true;
    const release = async (): Promise<void> => {
      isHeld = false;
    };
    try {
      const lease = await leases?.tryAcquire(`dead-letters/${list}`);
      if (leases !== undefined && lease === undefined) {
        await release();
        return undefined;
      }
      return {
        async [Symbol.asyncDispose]() {
          await lease?.release();
          await release();
        },
      };
    } catch (error) {
      await release();
      throw new DeadLettersUnavailableError("the right to replay cannot be acquired", { cause: error });
    }
  };
}
