import { ledgerStore } from "../../../store/events/ledger/ledger.ts";
import { intakeStore } from "../../../store/intake/postgres/store.ts";
import { leaseStore } from "../../../store/leases/postgres/store.ts";
import { recordStore } from "../../../store/records/postgres/store.ts";
import type { Operation, Query, Row } from "../../../store/sql/query.ts";
import { type RecordStores, soundStores } from "./history.ts";

/**
 * Stores with one fault each, which histories must find. Most faults leave out a statement: the operation
 * receives rows as if it had been run.
 */
export const brokenRecordStores: Readonly<Record<string, RecordStores>> = {
  "begins and completes batches without the fence": {
    ...soundStores,
    ledger: {
      ...ledgerStore,
      operations: {
        ...ledgerStore.operations,
        beginBatch: (session, batch) =>
          without(ledgerStore.operations.beginBatch(session, batch), /FROM \{leases\}/, [
            { token: batch.fence?.token },
          ]),
        completeBatch: (session, batch) =>
          without(ledgerStore.operations.completeBatch(session, batch), /FROM \{leases\}/, [
            { token: batch.fence?.token },
          ]),
      },
    },
  },
  "does not give up the attempts before": {
    ...soundStores,
    ledger: withLedger("beginBatch", /SET state = 'void'/),
  },
  "does not hide attempts": {
    ...soundStores,
    ledger: withLedger("beginBatch", /INSERT INTO \{batch_projects\}/),
  },
  "completes batches which were given up": {
    ...soundStores,
    ledger: withLedger("completeBatch", /DELETE FROM \{batches\}/, [{ number: 1 }]),
  },
  "does not move the place of the spool": {
    ...soundStores,
    ledger: withLedger("completeBatch", /UPDATE \{spools\}/),
  },
  "counts two deletions of an attempt at the same time": {
    ...soundStores,
    ledger: {
      ...ledgerStore,
      operations: {
        ...ledgerStore.operations,
        garbageDeleted: (session, number) =>
          changed(ledgerStore.operations.garbageDeleted(session, number), /delete_at_ms <=/, (sql) =>
            sql.replace("delete_at_ms <= $3", "$3 > 0"),
          ),
      },
    },
  },
  "forgets attempts after the first deletion": {
    ...soundStores,
    ledger: {
      ...ledgerStore,
      operations: {
        ...ledgerStore.operations,
        *garbageDeleted(_session, number) {
          yield { sql: "DELETE FROM {batches} WHERE number = $1", params: [number] };
        },
      },
    },
  },
  "releases records before they are loaded": { ...soundStores, isReleasedEarly: true },
  "acknowledges records before they are stored": { ...soundStores, isAcknowledgedEarly: true },
  "gives a lease out again without a later token": {
    ...soundStores,
    leases: {
      ...leaseStore,
      operations: {
        ...leaseStore.operations,
        acquire: (session, request) =>
          changed(leaseStore.operations.acquire(session, request), /SET token = token \+ 1/, (sql) =>
            sql.replace("token + 1", "token + 0"),
          ),
      },
    },
  },
  "renews leases which were acquired by others": {
    ...soundStores,
    leases: {
      ...leaseStore,
      operations: {
        ...leaseStore.operations,
        *renew() {
          yield { sql: "SELECT 1", params: [] };
          return true;
        },
      },
    },
  },
  "forgets users with the batches which are loaded again": withIntake({
    rewind: (...args) =>
      changed(intakeStore.operations.rewind(...args), /DELETE FROM \{first_checks\}/, () => {
        return "DELETE FROM {accounts} WHERE project = $1 AND seq >= $2";
      }),
  }),
  "keeps the claims of batches which are loaded again": withIntake({
    rewind: (...args) => without(intakeStore.operations.rewind(...args), /FROM \{uuid_batches\}.*seq >=/, []),
  }),
  "counts events again whose first check is prepared again": withIntake({
    rewind: (...args) => without(intakeStore.operations.rewind(...args), /DELETE FROM \{first_checks\}/, []),
  }),
  "claims no first checks": withIntake({
    writeBatch: (session, changes) =>
      intakeStore.operations.writeBatch(session, {
        ...changes,
        projects: changes.projects.map((project) => ({ ...project, firstChecks: [] })),
      }),
  }),
  "counts users as reported before they are loaded": withIntake({
    writeBatch: (...args) =>
      changed(intakeStore.operations.writeBatch(...args), /INSERT INTO \{(?:accounts|visitors)\}/, (sql) =>
        sql.replace(", $5", ", $5 * 0"),
      ),
  }),
  "marks lost users without telling their loader": withIntake({
    markUnreported: (...args) =>
      changed(intakeStore.operations.markUnreported(...args), /INSERT INTO \{spools\}/, (sql) =>
        sql.replace("version + 1", "version + 0"),
      ),
  }),
  "marks no lost users": withIntake({
    markUnreported: (...args) =>
      without(intakeStore.operations.markUnreported(...args), /UPDATE \{(?:accounts|visitors)\}/, []),
  }),
  "claims nothing": withIntake({
    writeBatch: (session, changes) =>
      intakeStore.operations.writeBatch(session, { ...changes, uuids: undefined }),
  }),
  "gives the numbers of users again": withIntake({
    writeBatch: (...args) =>
      changed(intakeStore.operations.writeBatch(...args), /INSERT INTO \{projects\}/, (sql) =>
        sql.replace("GREATEST(p.users, EXCLUDED.users)", "p.users"),
      ),
  }),
  "writes what it claims on an old state": withIntake({
    writeBatch: (session, { fence: _fence, ...changes }) =>
      changed(
        intakeStore.operations.writeBatch(session, { ...changes, fence: undefined }),
        /UPDATE \{spools\} SET prepared|INSERT INTO \{uuid_batches\}/,
        // The key of the claims of a batch would refuse most of these writes.
        (sql) =>
          sql.startsWith("INSERT")
            ? `${sql} ON CONFLICT (spool, seq) DO UPDATE SET claims = EXCLUDED.claims`
            : sql.replace("version = $2", "$2 > 0"),
      ),
  }),
  "drops tables which are not read yet": {
    ...soundStores,
    records: {
      ...recordStore,
      operations: {
        ...recordStore.operations,
        release: (session, project, to) =>
          recordStore.operations.release(session, project, { number: to.number + 1, offset: to.offset }),
      },
    },
  },
};

function withIntake(
  broken: Partial<Pick<typeof intakeStore.operations, "markUnreported" | "rewind" | "writeBatch">>,
): RecordStores {
  return {
    ...soundStores,
    intake: { ...intakeStore, operations: { ...intakeStore.operations, ...broken } },
  };
}

/** Leaves a statement out of an operation of the ledger. */
function withLedger(
  name: "beginBatch" | "completeBatch",
  pattern: RegExp,
  rows: readonly Row[] = [],
): typeof ledgerStore {
  const { operations } = ledgerStore;
  const operation = operations[name] as (...args: unknown[]) => Operation<unknown>;
  const broken = (...args: unknown[]) => without(operation(...args), pattern, rows);
  return { ...ledgerStore, operations: { ...operations, [name]: broken } };
}

/** Leaves out the statements which match a pattern. */
function* without<T>(operation: Operation<T>, pattern: RegExp, rows: readonly Row[]): Operation<T> {
  let step = operation.next([]);
  while (step.done !== true) {
    const answer: readonly Row[] = pattern.test(step.value.sql) ? rows : yield step.value;
    step = operation.next(answer);
  }
  return step.value;
}

/** Changes the text of the statements which match a pattern. */
function* changed<T>(
  operation: Operation<T>,
  pattern: RegExp,
  change: (sql: string) => string,
): Operation<T> {
  let step = operation.next([]);
  while (step.done !== true) {
    const query: Query = step.value;
    const sent = pattern.test(query.sql) ? { ...query, sql: change(query.sql) } : query;
    step = operation.next((yield sent) as readonly Row[]);
  }
  return step.value;
}
