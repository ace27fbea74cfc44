import { stateOf } from "../identity.ts";
import type { IntakeKeys, ProjectKeys } from "../intake.ts";
import type { RecentIds } from "../recent-ids.ts";
import { BatchIds, BatchProject, type UuidClaim } from "./batch.ts";
import { chunksOf, packTexts } from "./packed-texts.ts";
import type { Found, FoundId, ProjectAnswer, ProjectQuestion } from "./read-batch.ts";
import type { ProjectRecent, RecentUsers } from "./recent-users.ts";
import { hashBytes, hashUuids } from "./uuid-hash.ts";

/** What is asked about the keys of a project, and how the answer is read. */
export interface AskedProject {
  readonly question: ProjectQuestion;
  /** @param reportedSeq rows of batches from this place on may be unknown to the store */
  read(answer: ProjectAnswer, reportedSeq: number): BatchProject;
}

export function askAbout(keys: IntakeKeys, recent: RecentUsers): readonly AskedProject[] {
  return Array.from(keys, ([projectId, of]) => askAboutProject(projectId, of, recent.of(projectId)));
}

function askAboutProject(projectId: number, keys: ProjectKeys, recent: ProjectRecent): AskedProject {
  const accounts = askAboutIds("account id", keys.accountIds, recent.accounts);
  const visitors = askAboutIds("distinct id", keys.distinctIds, recent.visitors);
  const uuids = Array.from(chunksOf(keys.uuids), (chunk) => ({
    texts: chunk,
    hashes: hashUuids(projectId, chunk),
  }));
  const checks = Array.from(keys.firstCheckIds, ([event, ids]) => ({
    event,
    chunks: [...chunksOf([...ids])],
  })).filter(({ chunks }) => chunks.length > 0);
  return {
    question: {
      projectId,
      accounts: accounts.chunks.map(packTexts),
      visitors: visitors.chunks.map(packTexts),
      uuids: uuids.map(({ hashes }) => hashes),
      firstChecks: checks.map(({ event, chunks }) => ({ event, ids: chunks.map(packTexts) })),
    },
    read: (answer, reportedSeq) =>
      new BatchProject(answer.users, {
        accounts: accounts.read(answer.accounts, reportedSeq),
        visitors: visitors.read(answer.visitors, reportedSeq),
        uuids: readUuids(uuids, answer),
        firstChecks: new Map(
          checks.map(({ event, chunks }, at) => [event, readChecks(chunks, answer.firstChecks[at]!)]),
        ),
      }),
  };
}

/** Asks about the ids which are not among the recent ones. */
function askAboutIds(noun: string, ids: readonly string[], recent: RecentIds) {
  const known = new BatchIds(noun);
  const asked: string[] = [];
  for (const given of ids) {
    const id = given.toWellFormed();
    if (known.isAnnounced(id)) continue;
    const state = recent.get(id);
    known.announce(id, state);
    if (state === undefined) asked.push(id);
  }
  const chunks = [...chunksOf(asked)];
  return {
    chunks,
    read(answers: readonly (readonly FoundId[])[], reportedSeq: number): BatchIds {
      for (const [chunk, { at, user_id, bound, seq }] of foundIn(chunks, answers)) {
        known.learn(chunk[at - 1]!, stateOf(user_id, bound === 1, seq < reportedSeq));
      }
      return known;
    },
  };
}

interface AskedUuids {
  readonly texts: readonly string[];
  /** One after the other. */
  readonly hashes: Buffer;
}

/** Reads the claims of uuids. The last batch counts for a uuid which was claimed several times. */
function readUuids(chunks: readonly AskedUuids[], { uuids }: ProjectAnswer): Map<string, UuidClaim> {
  const claims = new Map<string, UuidClaim>();
  for (const { texts, hashes } of chunks) {
    for (let at = 0; at < texts.length; at++)
      claims.set(texts[at]!, { timeMs: undefined, isNew: false, hashes, at: at * hashBytes });
  }
  const lastSeqs = new Map<string, number>();
  const texts = chunks.map((chunk) => chunk.texts);
  for (const [chunk, { at, time_ms, seq }] of foundIn(texts, uuids)) {
    const uuid = chunk[at - 1]!;
    if (seq < (lastSeqs.get(uuid) ?? 0)) continue;
    lastSeqs.set(uuid, seq);
    claims.get(uuid)!.timeMs = time_ms;
  }
  return claims;
}

function readChecks(
  chunks: readonly (readonly string[])[],
  answers: readonly (readonly Found[])[],
): Map<string, boolean> {
  const checks = new Map<string, boolean>();
  for (const id of chunks.flat()) checks.set(id, false);
  for (const [chunk, { at }] of foundIn(chunks, answers)) checks.set(chunk[at - 1]!, true);
  return checks;
}

function* foundIn<T extends Found>(
  chunks: readonly (readonly string[])[],
  answers: readonly (readonly T[])[],
): Generator<readonly [readonly string[], T]> {
  for (const [at, chunk] of chunks.entries()) for (const row of answers[at]!) yield [chunk, row];
}
