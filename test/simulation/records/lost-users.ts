import type { Intake } from "../../../store/intake/intake.ts";
import type { Replica } from "../replica.ts";
import type { EventTables } from "./event-tables.ts";
import type { RecordInvariants } from "./invariants.ts";

export interface LossPorts {
  /** Of the operator, without a lease. */
  readonly intake: Pick<Intake, "markUnreported">;
  readonly operator: Replica;
  readonly tables: EventTables;
  readonly invariants: RecordInvariants;
}

/** Lets the event tables lose what they know of users, and tells the intake until it replies. */
export async function loseUsers({ intake, operator, tables, invariants }: LossPorts): Promise<void> {
  tables.loseUsers();
  invariants.usersLost();
  for (let isMarked = false; !isMarked; ) {
    await operator.clock.wait(100, new AbortController().signal);
    isMarked = await intake.markUnreported(undefined).then(
      () => true,
      () => false,
    );
  }
  invariants.usersMarked();
}
