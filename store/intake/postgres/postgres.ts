import type { Executor } from "../../sql/operations.ts";
import { resolveUser, stateOf } from "../identity.ts";
import type { Intake, IntakeKeys, IntakePlace, IntakeStats, ResolvedUser, RestoredUser } from "../intake.ts";
import { placeOf, seqOf } from "../place.ts";
import { throwUnannounced } from "./announced.ts";
import { type AskedProject, askAbout } from "./ask.ts";
import type { Batch, BatchProject } from "./batch.ts";
import { projectChanges, uuidBatchOf } from "./changes.ts";
import type { ProjectAnswer, UuidTable } from "./read-batch.ts";
import { readUuids } from "./read-uuids.ts";
import { RecentUsers } from "./recent-users.ts";
import { RecentUuids } from "./recent-uuids.ts";
import type { Fence } from "./rewind.ts";
import type { IntakeOperations } from "./store.ts";
import type { BatchChanges } from "./write-batch.ts";

export interface PostgresIntakeSettings {
  readonly spool: number;
  readonly uuidWindowMs: number;
  readonly maxUuids: number;
  readonly maxCachedIds: number;
  readonly fence: Fence | undefined;
}

const ifBehind = "restore PostgreSQL and the event store together";

/**
 * The intake of one spool. What it does not remember of a batch is read at its begin, and the batch is written at its
 * commit, each in one transaction, and nothing is held in between. The version of the state, which each write
 * increases, shows that no other loader has written since it was read. From the call of `commit` on, the batch counts
 * as written for the next one, which is not written if this one is not.
 */
export class PostgresIntake implements Intake {
  readonly needsKeys = true;
  readonly #executor: Executor<IntakeOperations>;
  readonly #settings: PostgresIntakeSettings;
  readonly #recent: RecentUsers;
  /** The version of the state, from a rewind to the next error. */
  #version: number | undefined;
  /** Rows of batches from this place on may be unknown to the store. */
  #reportedSeq = 0;
  #batch: Batch | undefined;
  #restored = new Map<number, RestoredUser[]>();
  #recentUuids = new RecentUuids();
  #uuidTables: readonly UuidTable[] = [];
  /** Whether no uuids are in tables. */
  #hasAllUuids = false;
  /** Ends when the last batch is written. */
  #writing: Promise<void> = Promise.resolve();

  constructor(executor: Executor<IntakeOperations>, settings: PostgresIntakeSettings) {
    this.#executor = executor;
    this.#settings = settings;
    this.#recent = new RecentUsers(settings.maxCachedIds);
  }

  async preparedTo(): Promise<IntakePlace | undefined> {
    const { spool } = this.#settings;
    const seq = await this.#executor.call("preparedTo", 0, [spool], undefined);
    return seq === undefined ? undefined : placeOf(seq);
  }

  async rewind(to: IntakePlace | undefined): Promise<void> {
    const words = `the event store has loaded up to file ${to?.number} offset ${to?.offset}, which the intake has not prepared: ${ifBehind}`;
    const seq = seqOf(to);
    await this.#reset();
    const rewound = await this.#executor.call("rewind", 0, [this.#settings, seq, words], undefined);
    const { recent, version } = await readUuids(this.#executor, this.#settings, rewound);
    this.#recentUuids = recent;
    this.#version = version;
    this.#reportedSeq = seq;
  }

  async markUnreported(from: IntakePlace | undefined): Promise<void> {
    await this.#reset();
    await this.#executor.call("markUnreported", 0, [this.#settings, seqOf(from)], undefined);
  }

  restore(projectId: number, user: RestoredUser): void {
    const { seq, projects } = this.#open();
    const { userId, accountId, distinctId, hasAccount } = user;
    const project = projects.get(projectId);
    if (project !== undefined) {
      const isReported = seq < this.#reportedSeq;
      project.users = Math.max(project.users, userId);
      if (accountId !== undefined)
        project.accounts.restore(accountId.toWellFormed(), stateOf(userId, false, isReported));
      if (distinctId !== undefined)
        project.visitors.restore(distinctId.toWellFormed(), stateOf(userId, hasAccount, isReported));
    }
    const users = this.#restored.get(projectId);
    if (users === undefined) this.#restored.set(projectId, [user]);
    else users.push(user);
  }

  async begin(from: IntakePlace, keys: IntakeKeys = new Map()): Promise<void> {
    if (this.#version === undefined) throw new RangeError("the intake must be rewound before a batch begins");
    if (this.#batch !== undefined)
      throw new RangeError("the previous batch is neither committed nor rewound");
    const seq = seqOf(from);
    if (seq <= (this.#recentUuids.lastSeq ?? -1))
      throw new RangeError("the batch does not begin after the previous one");
    const asked = askAbout(keys, this.#recent);
    const answers = this.#remembered(asked) ?? (await this.#read(asked));
    const recent = this.#recentUuids;
    const read = asked.map(
      (one, at) => [one.question.projectId, one.read(answers[at]!, this.#reportedSeq, recent)] as const,
    );
    this.#batch = { seq, projects: new Map(read), firstMs: undefined, lastMs: undefined };
  }

  resolve(projectId: number, accountId: string | undefined, distinctId: string | undefined): ResolvedUser {
    const project = this.#project(projectId);
    return resolveUser(project, accountId?.toWellFormed(), distinctId?.toWellFormed());
  }

  claimUuid(projectId: number, uuid: string, steadyMs: number): boolean {
    const batch = this.#open();
    batch.firstMs = Math.min(batch.firstMs ?? steadyMs, steadyMs);
    batch.lastMs = Math.max(batch.lastMs ?? steadyMs, steadyMs);
    return this.#project(projectId).uuids.claim(uuid, steadyMs, this.#settings.uuidWindowMs);
  }

  claimFirstCheck(projectId: number, eventName: string, firstCheckId: string): boolean {
    return this.#project(projectId).claimFirstCheck(eventName, firstCheckId);
  }

  async commit(to: IntakePlace): Promise<void> {
    const batch = this.#open();
    const { seq, projects } = batch;
    const { spool, fence } = this.#settings;
    const added = uuidBatchOf(batch);
    const outdated = added && this.#recentUuids.outdatedBy(added, this.#settings);
    this.#hasAllUuids &&= (outdated?.spilled.length ?? 0) === 0;
    const uuids = added && outdated && { added, outdated, mayHaveTables: !this.#hasAllUuids };
    const changes = {
      spool,
      fence,
      seq,
      prepared: seqOf(to),
      projects: projectChanges(projects, this.#restored),
      uuids,
    };
    for (const [projectId, project] of projects) this.#recent.of(projectId).learn(project);
    for (const projectId of this.#restored.keys()) this.#recent.of(projectId).users = undefined;
    if (uuids !== undefined) this.#recentUuids.replace(uuids.added, uuids.outdated);
    this.#batch = undefined;
    this.#restored.clear();
    const before = this.#writing;
    this.#writing = this.#orForget(before.then(() => this.#write(changes)));
    await this.#writing;
  }

  /** Returns the number of uuids in memory, and in tables before the open batch or before the last one. */
  stats(): IntakeStats {
    const inTables = this.#uuidTables.reduce((sum, { uuids }) => sum + uuids, 0);
    return { uuids: inTables + this.#recentUuids.size, uuidsForgotten: 0 };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#executor[Symbol.asyncDispose]();
  }

  #open(): Batch {
    if (this.#batch === undefined) throw new RangeError("no batch has begun");
    return this.#batch;
  }

  #project(projectId: number): BatchProject {
    return this.#open().projects.get(projectId) ?? throwUnannounced("project");
  }

  /** Returns the answers if nothing has to be asked. A write fails if another loader has written since. */
  #remembered(asked: readonly AskedProject[]): readonly ProjectAnswer[] | undefined {
    const answers = asked.map(({ question }) =>
      this.#recent.of(question.projectId).answer(question, this.#hasAllUuids),
    );
    return answers.every((one) => one !== undefined) ? answers : undefined;
  }

  /** Asks the database, which must have what was learnt before. */
  async #read(asked: readonly AskedProject[]): Promise<readonly ProjectAnswer[]> {
    await this.#writing;
    const { spool } = this.#settings;
    const question = { spool, version: this.#version!, projects: asked.map((one) => one.question) };
    const answer = await this.#orForget(this.#executor.call("readBatch", 0, [question], undefined));
    this.#uuidTables = answer.uuidTables;
    this.#hasAllUuids = answer.uuidTables.length === 0 && !answer.hasMoved;
    return answer.projects;
  }

  /** Whether a write that failed has happened is known after a rewind. */
  async #write(changes: Omit<BatchChanges, "version">): Promise<void> {
    const given = { ...changes, version: this.#version! };
    this.#version = await this.#executor.call("writeBatch", 0, [given], undefined);
  }

  async #reset(): Promise<void> {
    await this.#writing.catch(() => {});
    this.#writing = Promise.resolve();
    this.#forget();
  }

  /** Forgets all that may differ from the database. */
  #forget(): void {
    this.#version = undefined;
    this.#batch = undefined;
    this.#restored.clear();
    this.#recent.clear();
    this.#recentUuids = new RecentUuids();
    this.#uuidTables = [];
    this.#hasAllUuids = false;
  }

  async #orForget<T>(outcome: Promise<T>): Promise<T> {
    try {
      return await outcome;
    } catch (error) {
      this.#forget();
      throw error;
    }
  }
}
