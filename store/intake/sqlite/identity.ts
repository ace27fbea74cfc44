import type { ResolvedUser, RestoredUser } from "../intake.ts";
import { RecentIds } from "../recent-ids.ts";
import type { IntakeDatabase, Statement } from "./database.ts";

/** The value kept in memory for an id: `user * 4 + isBound * 2 + isReported`. A user id stays below 2^51. */
type Packed = number;

interface Project {
  readonly accounts: RecentIds;
  readonly visitors: RecentIds;
  /**
   * Whether all ids of the project were first seen since the intake was opened: then an id which is not
   * in memory is new.
   */
  isWhole: boolean;
  users: number;
  isChanged: boolean;
}

/**
 * Maps the accounts and visitors of projects to users, permanently. A new account takes over the user
 * of a visitor without an account; a new visitor beside an account belongs to the account. So a pair
 * always resolves to the same user, whatever came in between.
 */
export class Identity {
  readonly #projects = new Map<number, Project>();
  readonly #maxEntries: number;
  readonly #findProject: Statement;
  readonly #saveProject: Statement;
  readonly #findAccount: Statement;
  readonly #saveAccount: Statement;
  readonly #findVisitor: Statement;
  readonly #saveVisitor: Statement;
  readonly #restoreAccount: Statement;
  readonly #restoreVisitor: Statement;
  /** Rows of batches from this place on may be unknown to the store. */
  #reportedSeq = 0;
  #seq = 0;

  /** @param maxEntries the number of ids of each kind and project kept in memory, at about 100 bytes each */
  constructor(db: IntakeDatabase, maxEntries: number) {
    this.#maxEntries = maxEntries;
    this.#findProject = db.prepare("SELECT users FROM projects WHERE project = ?");
    this.#saveProject = db.prepare("INSERT OR REPLACE INTO projects VALUES (?, ?)");
    this.#findAccount = db.prepare("SELECT user, seq FROM accounts WHERE project = ? AND account = ?");
    this.#saveAccount = db.prepare("INSERT INTO accounts VALUES (?, ?, ?, ?)");
    this.#findVisitor = db.prepare("SELECT user, bound, seq FROM visitors WHERE project = ? AND visitor = ?");
    this.#restoreAccount = db.prepare("INSERT OR IGNORE INTO accounts VALUES (?, ?, ?, ?)");
    this.#restoreVisitor = db.prepare("INSERT OR IGNORE INTO visitors VALUES (?, ?, ?, ?, ?)");
    this.#saveVisitor = db.prepare("INSERT OR REPLACE INTO visitors VALUES (?, ?, ?, ?, ?)");
  }

  /** Clears the memory. */
  rewind(seq: number): void {
    this.#projects.clear();
    this.#reportedSeq = seq;
    this.#seq = seq;
  }

  /** Writes changed projects. To be called before a commit. */
  save(): void {
    for (const [id, project] of this.#projects) {
      if (project.isChanged) this.#saveProject.run(id, project.users);
      project.isChanged = false;
    }
  }

  /** Sets the place which rows of the next batch carry. */
  beginBatch(seq: number): void {
    this.#seq = seq;
  }

  restore(projectId: number, { userId, accountId, distinctId, hasAccount }: RestoredUser): void {
    const project = this.#projects.get(projectId) ?? this.#open(projectId);
    project.isWhole = false;
    project.isChanged ||= userId > project.users;
    project.users = Math.max(project.users, userId);
    if (accountId !== undefined) this.#restoreAccount.run(projectId, accountId, userId, this.#seq);
    if (distinctId === undefined) return;
    this.#restoreVisitor.run(projectId, distinctId, userId, hasAccount ? 1 : 0, this.#seq);
  }

  resolve(projectId: number, account: string | undefined, visitor: string | undefined): ResolvedUser {
    // As SQLite stores them: unpaired surrogates are replaced.
    return this.#resolve(projectId, account?.toWellFormed(), visitor?.toWellFormed());
  }

  #resolve(projectId: number, accountId: string | undefined, distinctId: string | undefined): ResolvedUser {
    const project = this.#projects.get(projectId) ?? this.#open(projectId);
    if (accountId === undefined) {
      if (distinctId === undefined) throw new RangeError("a user needs an account or a distinct id");
      return this.#visitorAlone(project, projectId, distinctId);
    }
    const account = this.#account(project, projectId, accountId);
    const visitor = distinctId === undefined ? undefined : this.#visitor(project, projectId, distinctId);
    if (account === undefined) return this.#newAccount(project, projectId, accountId, distinctId, visitor);
    const userId = Math.floor(account / 4);
    const isNewAccount = this.#takeUnreported(account, project.accounts, accountId);
    if (distinctId === undefined) return { userId, isNew: isNewAccount, ownsVisitor: false };
    if (visitor === undefined) {
      this.#saveVisitorOf(project, projectId, distinctId, userId, true);
      return { userId, isNew: true, ownsVisitor: true };
    }
    const ownsVisitor = Math.floor(visitor / 4) === userId;
    // A visitor is reported as its own user's only.
    const isNewVisitor = ownsVisitor && this.#takeUnreported(visitor, project.visitors, distinctId);
    return { userId, isNew: isNewAccount || isNewVisitor, ownsVisitor };
  }

  #visitorAlone(project: Project, projectId: number, distinctId: string): ResolvedUser {
    const visitor = this.#visitor(project, projectId, distinctId);
    if (visitor === undefined) {
      const userId = this.#nextUser(project);
      this.#saveVisitorOf(project, projectId, distinctId, userId, false);
      return { userId, isNew: true, ownsVisitor: true };
    }
    const isNew = this.#takeUnreported(visitor, project.visitors, distinctId);
    return { userId: Math.floor(visitor / 4), isNew, ownsVisitor: true };
  }

  #newAccount(
    project: Project,
    projectId: number,
    accountId: string,
    distinctId: string | undefined,
    visitor: Packed | undefined,
  ): ResolvedUser {
    const isFree = visitor !== undefined && (visitor & 2) === 0;
    const userId = isFree ? Math.floor(visitor / 4) : this.#nextUser(project);
    this.#saveAccount.run(projectId, accountId, userId, this.#seq);
    project.accounts.set(accountId, userId * 4 + 1);
    const ownsVisitor = distinctId !== undefined && (isFree || visitor === undefined);
    if (ownsVisitor) this.#saveVisitorOf(project, projectId, distinctId, userId, true);
    return { userId, isNew: true, ownsVisitor };
  }

  /** Reports an id as new once, and again after a rewind. */
  #takeUnreported(packed: Packed, map: RecentIds, id: string): boolean {
    const isReported = packed % 2 === 1;
    if (!isReported) map.set(id, packed + 1);
    return !isReported;
  }

  #nextUser(project: Project): number {
    project.isChanged = true;
    return ++project.users;
  }

  #saveVisitorOf(project: Project, projectId: number, id: string, user: number, isBound: boolean): void {
    this.#saveVisitor.run(projectId, id, user, isBound ? 1 : 0, this.#seq);
    project.visitors.set(id, user * 4 + (isBound ? 3 : 1));
  }

  #account(project: Project, projectId: number, id: string): Packed | undefined {
    const known = project.accounts.get(id);
    if (known !== undefined || (project.isWhole && !project.accounts.hasDropped)) return known;
    const row = this.#findAccount.get(projectId, id);
    if (row === undefined) return undefined;
    const packed = row["user"]! * 4 + this.#reportedBit(row["seq"]!);
    project.accounts.set(id, packed);
    return packed;
  }

  #visitor(project: Project, projectId: number, id: string): Packed | undefined {
    const known = project.visitors.get(id);
    if (known !== undefined || (project.isWhole && !project.visitors.hasDropped)) return known;
    const row = this.#findVisitor.get(projectId, id);
    if (row === undefined) return undefined;
    const packed = row["user"]! * 4 + row["bound"]! * 2 + this.#reportedBit(row["seq"]!);
    project.visitors.set(id, packed);
    return packed;
  }

  #reportedBit(seq: number): number {
    return seq < this.#reportedSeq ? 1 : 0;
  }

  #open(projectId: number): Project {
    const users = this.#findProject.get(projectId)?.["users"] ?? 0;
    const project: Project = {
      accounts: new RecentIds(this.#maxEntries),
      visitors: new RecentIds(this.#maxEntries),
      isWhole: users === 0,
      users,
      isChanged: false,
    };
    this.#projects.set(projectId, project);
    return project;
  }
}
