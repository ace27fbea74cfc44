import { stateOf } from "../identity.ts";
import type { IntakeKeys, ProjectKeys } from "../intake.ts";
import type { RecentIds } from "../recent-ids.ts";
import { BatchProject } from "./batch.ts";
import { BatchIds } from "./batch-ids.ts";
import { BatchUuids } from "./batch-uuids.ts";
import { chunksOf, maxKeys, packTexts } from "./packed-texts.ts";
import type { Found, FoundId, ProjectAnswer, ProjectQuestion } from "./read-batch.ts";
import type { ProjectRecent, RecentUsers } from "./recent-users.ts";
import type { RecentUuids } from "./recent-uuids.ts";
import { hashBytes } from "./uuid-hash.ts";

/** What is asked about the keys of a project, and how the answer is read. */
export interface AskedProject {
  readonly question: ProjectQuestion;
  /** @param reportedSeq rows of batches from this place on may be unknown to the store */
  read(answer: ProjectAnswer, reportedSeq: number, recentUuids: RecentUuids): BatchProject;
}

export function askAbout(keys: IntakeKeys, recent: RecentUsers): readonly AskedProject[] {
  return Array.from(keys, ([projectId, of]) => askAboutProject(projectId, of, recent.of(projectId)));
}

function askAboutProject(projectId: number, keys: ProjectKeys, recent: ProjectRecent): AskedProject {
  const accounts = askAboutIds("account id", keys.accountIds, recent.accounts);
  const visitors = askAboutIds("distinct id", keys.distinctIds, recent.visitors);
  const uuids = new BatchUuids(projectId, keys.uuids);
  const checks = Array.from(keys.firstCheckIds, ([event, ids]) => ({
    event,
    chunks: [...chunksOf([...ids])],
  })).filter(({ chunks }) => chunks.length > 0);
  return {
    question: {
      projectId,
      accounts: accounts.chunks.map(packTexts),
      visitors: visitors.chunks.map(packTexts),
      uuids: hashChunks(uuids),
      firstChecks: checks.map(({ event, chunks }) => ({ event, ids: chunks.map(packTexts) })),
    },
    read: (answer, reportedSeq, recentUuids) =>
      new BatchProject(answer.users, {
        accounts: accounts.read(answer.accounts, reportedSeq),
        visitors: visitors.read(answer.visitors, reportedSeq),
        uuids: readUuids(uuids, answer, recentUuids),
        firstChecks: new Map(
          checks.map(({ event, chunks }, at) => [event, readChecks(chunks, answer.firstChecks[at]!)]),
        ),
      }),
  };
}

/** Asks about the ids which are not among the recent ones. */
function askAboutIds(noun: string, ids: readonly string[], recent: RecentIds) {
  const known = new BatchIds(
    noun,
    ids.map((id) => id.toWellFormed()),
    recent,
  );
  const chunks = [...chunksOf(known.unknownIds)];
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

function hashChunks({ hashes }: BatchUuids): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  const step = maxKeys * hashBytes;
  for (let at = 0; at < hashes.length; at += step) chunks.push(hashes.subarray(at, at + step));
  return chunks;
}

function readUuids(uuids: BatchUuids, answer: ProjectAnswer, recent: RecentUuids): BatchUuids {
  for (const [chunk, rows] of answer.uuids.entries()) {
    for (const { at, time_ms, seq } of rows) uuids.learn(chunk * maxKeys + at - 1, time_ms, seq);
  }
  recent.teach(uuids);
  return uuids;
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
