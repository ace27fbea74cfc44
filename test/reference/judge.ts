import { analyze, type ReferenceAnswer } from "./analyze.ts";
import { findDifference } from "./compare.ts";
import { generateRecords, type Scene } from "./generate-records.ts";
import type { Request } from "./generate-request.ts";
import { ingest, type ReferenceData } from "./ingest.ts";
import { listUsers } from "./list-users.ts";
import type { OpenStore } from "./loaded-store.ts";
import type { Random } from "./random.ts";
import { Refused } from "./refused.ts";
import { nowOf } from "./scenes.ts";
import { shrink } from "./shrink.ts";
import { openSubject, type Subject } from "./subject.ts";

/** The reference and the real thing, side by side on the same records. */
export interface Judge extends AsyncDisposable {
  readonly data: ReferenceData;
  readonly subject: Subject;
  readonly nowMs: number;
  /** Returns the difference with the smallest request found; undefined if both agree. */
  judge(request: Request): Promise<string | undefined>;
  /** Does the same for a download, which has all groups despite the limit. */
  judgeDownload(request: Request): Promise<string | undefined>;
  judgeUsers(request: Request): Promise<string | undefined>;
}

/** @param isAppendOnly whether no record changes an event that an earlier one has sent */
export async function openJudge(
  scene: Scene,
  random: Random,
  count: number,
  openStore?: OpenStore,
  isAppendOnly = false,
): Promise<Judge> {
  const nowMs = nowOf(scene);
  const all = generateRecords(random, scene, count);
  const records = isAppendOnly ? all.filter(({ record }) => !changesEvents.has(record["#type"])) : all;
  const data = ingest(scene.project, records);
  const subject = await openSubject(scene.project, records, nowMs, openStore);
  const compareAnswers = (request: Request) =>
    differ(
      async () => analyze(data, nowMs, request),
      () => subject.analyze(request),
      findDifference,
    );
  const compareDownloads = (request: Request) =>
    differ(
      async () => tableOf(analyze(data, nowMs, { ...request, limit: 10_000 })),
      () => subject.download(withoutLimits(request)),
      findDifference,
    );
  const compareUsers = (request: Request) =>
    differ(
      async () => listUsers(data, nowMs, request),
      () => subject.listUsers(request),
      (expected, got) =>
        expected.join() === got.join() ? undefined : `users: expected ${expected}, got ${got}`,
    );
  return {
    data,
    subject,
    nowMs,
    judge: (request) => tell(request, compareAnswers),
    judgeDownload: (request) => tell(request, compareDownloads),
    judgeUsers: (request) => tell(request, compareUsers),
    [Symbol.asyncDispose]: () => subject[Symbol.asyncDispose](),
  };
}

const changesEvents: ReadonlySet<unknown> = new Set(["track_update", "track_overwrite"]);

function tableOf(answer: ReferenceAnswer): ReferenceAnswer {
  const results = answer.results.filter(({ groups }) => groups.length > 0);
  return { ...answer, results, unionGroups: [], unionGroupNum: 0 };
}

function withoutLimits({ limit: _, useCache: __, useSameResultKey: ___, ...request }: Request): Request {
  return request;
}

async function tell(
  request: Request,
  compare: (request: Request) => Promise<string | undefined>,
): Promise<string | undefined> {
  const first = await compare(request);
  if (first === undefined) return undefined;
  const smallest = await shrink(request, async (cut) => (await compare(cut)) !== undefined);
  // A difference that does not happen again is one too.
  const again = (await compare(smallest)) ?? `${first}, only at first`;
  return `${again}\n  ${JSON.stringify(smallest)}`;
}

/** Both refuse, or both answer the same. */
async function differ<Expected, Got>(
  expect: () => Promise<Expected>,
  ask: () => Promise<Got>,
  compare: (expected: Expected, got: Got) => string | undefined,
): Promise<string | undefined> {
  const [expected, got] = [await attempt(expect), await attempt(ask)];
  if ("fault" in got) return `failed: ${got.fault}`;
  if ("fault" in expected) return `the reference failed: ${expected.fault}`;
  if ("refusal" in expected || "refusal" in got) {
    const isSame = "refusal" in expected && "refusal" in got;
    return isSame ? undefined : `expected ${sayOf(expected)}, got ${sayOf(got)}`;
  }
  return compare(expected.answer, got.answer);
}

type Outcome<T> = { readonly answer: T } | { readonly refusal: string } | { readonly fault: string };

async function attempt<T>(ask: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { answer: await ask() };
  } catch (error) {
    return error instanceof Refused ? { refusal: error.message } : { fault: String((error as Error).stack) };
  }
}

function sayOf(outcome: Outcome<unknown>): string {
  return "refusal" in outcome ? `a refusal (${outcome.refusal})` : "an answer";
}
