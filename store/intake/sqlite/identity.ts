import { type IdState, type KnownIds, type ProjectUsers, resolveUser, stateOf } from "../identity.ts";
import type { ResolvedUser, RestoredUser } from "../intake.ts";
import { RecentIds } from "../recent-ids.ts";
import type { IntakeDatabase, Statement } from "./database.ts";

/** The places of batches, shared by all projects. */
interface Places {
  /** The place which rows of the open batch carry. */
  seq: number;
  /** Rows of batches from this place on may be unknown to the store. */
  reportedSeq: number;
}

/** Maps the accounts and visitors of projects to users, see `resolveUser`. */
export class Identity {
  readonly #projects = new Map<number, Project>();
  readonly #places: Places = { seq: 0, reportedSeq: 0 };
  readonly #maxEntries: number;
  readonly #accounts: Table;
  readonly #visitors: Table;
  readonly #findProject: Statement;
  readonly #saveProject: Statement;
  readonly #restoreAccount: Statement;
  readonly #restoreVisitor: Statement;

  /** @param maxEntries the number of ids of each kind and project kept in memory, at about 100 bytes each */
  constructor(db: IntakeDatabase, maxEntries: number) {
    this.#maxEntries = maxEntries;
    this.#findProject = db.prepare("SELECT users FROM projects WHERE project = ?");
    this.#saveProject = db.prepare("INSERT OR REPLACE INTO projects VALUES (?, ?)");
    this.#restoreAccount = db.prepare("INSERT OR IGNORE INTO accounts VALUES (?, ?, ?, ?)");
    this.#restoreVisitor = db.prepare("INSERT OR IGNORE INTO visitors VALUES (?, ?, ?, ?, ?)");
    const findAccount = db.prepare(
      "SELECT user, 0 AS bound, seq FROM accounts WHERE project = ? AND account = ?",
    );
    const saveAccount = db.prepare("INSERT INTO accounts VALUES (?, ?, ?, ?)");
    const saveVisitor = db.prepare("INSERT OR REPLACE INTO visitors VALUES (?, ?, ?, ?, ?)");
    this.#accounts = {
      find: findAccount,
      save: (projectId, id, userId, _isBound, seq) => saveAccount.run(projectId, id, userId, seq),
    };
    this.#visitors = {
      find: db.prepare("SELECT user, bound, seq FROM visitors WHERE project = ? AND visitor = ?"),
      save: (projectId, id, userId, isBound, seq) =>
        saveVisitor.run(projectId, id, userId, isBound ? 1 : 0, seq),
    };
  }

  /** Clears the memory. */
  rewind(seq: number): void {
    this.#projects.clear();
    this.#places.reportedSeq = seq;
    this.#places.seq = seq;
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
    this.#places.seq = seq;
  }

  restore(projectId: number, { userId, accountId, distinctId, hasAccount }: RestoredUser): void {
    const project = this.#projects.get(projectId) ?? this.#open(projectId);
    project.isWhole = false;
    project.isChanged ||= userId > project.users;
    project.users = Math.max(project.users, userId);
    const { seq } = this.#places;
    if (accountId !== undefined) this.#restoreAccount.run(projectId, accountId, userId, seq);
    if (distinctId === undefined) return;
    this.#restoreVisitor.run(projectId, distinctId, userId, hasAccount ? 1 : 0, seq);
  }

  resolve(projectId: number, account: string | undefined, visitor: string | undefined): ResolvedUser {
    const project = this.#projects.get(projectId) ?? this.#open(projectId);
    // SQLite stores ids with unpaired surrogates replaced.
    return resolveUser(project, account?.toWellFormed(), visitor?.toWellFormed());
  }

  #open(projectId: number): Project {
    const users = this.#findProject.get(projectId)?.["users"] ?? 0;
    const project = new Project(users);
    const open = (table: Table) =>
      new TableIds({ table, projectId, project, places: this.#places, maxEntries: this.#maxEntries });
    project.accounts = open(this.#accounts);
    project.visitors = open(this.#visitors);
    this.#projects.set(projectId, project);
    return project;
  }
}

class Project implements ProjectUsers {
  declare accounts: TableIds;
  declare visitors: TableIds;
  /**
   * Whether all ids of the project were first seen since the intake was opened: then an id which is not
   * in memory is new.
   */
  isWhole: boolean;
  users: number;
  isChanged = false;

  constructor(users: number) {
    this.users = users;
    this.isWhole = users === 0;
  }

  addUser(): number {
    this.isChanged = true;
    return ++this.users;
  }
}

/** The table of one kind of ids. */
interface Table {
  /** Selects user, bound and seq of an id of a project. */
  readonly find: Statement;
  readonly save: (projectId: number, id: string, userId: number, isBound: boolean, seq: number) => void;
}

interface TableIdsOptions {
  readonly table: Table;
  readonly projectId: number;
  readonly project: Project;
  readonly places: Places;
  readonly maxEntries: number;
}

/** The ids of one kind and project, of which recently used ones are in memory. */
class TableIds implements KnownIds {
  readonly #table: Table;
  readonly #projectId: number;
  readonly #project: Project;
  readonly #places: Places;
  readonly #recent: RecentIds;

  constructor({ table, projectId, project, places, maxEntries }: TableIdsOptions) {
    this.#table = table;
    this.#projectId = projectId;
    this.#project = project;
    this.#places = places;
    this.#recent = new RecentIds(maxEntries);
  }

  find(id: string): IdState | undefined {
    const known = this.#recent.get(id);
    if (known !== undefined || (this.#project.isWhole && !this.#recent.hasDropped)) return known;
    const row = this.#table.find.get(this.#projectId, id);
    if (row === undefined) return undefined;
    const state = stateOf(row["user"]!, row["bound"] === 1, row["seq"]! < this.#places.reportedSeq);
    this.#recent.set(id, state);
    return state;
  }

  setReported(id: string, state: IdState): void {
    this.#recent.set(id, state);
  }

  assign(id: string, userId: number, isBound: boolean): void {
    this.#table.save(this.#projectId, id, userId, isBound, this.#places.seq);
    this.#recent.set(id, stateOf(userId, isBound, true));
  }
}
