import type { Intake, IntakeKeys } from "../../../../store/intake/intake.ts";

/** Returns an intake that needs keys, and throws when one was not announced. */
export function strict(intake: Intake): Intake {
  let keys: IntakeKeys = new Map();
  const require = (isKnown: boolean | undefined) => {
    if (isKnown !== true) throw new TypeError("the key was not announced");
  };
  return {
    needsKeys: true,
    preparedTo: () => intake.preparedTo(),
    rewind: (to) => intake.rewind(to),
    markUnreported: (from) => intake.markUnreported(from),
    restore: (projectId, user) => intake.restore(projectId, user),
    begin(from, announced = new Map()) {
      keys = announced;
      return intake.begin(from);
    },
    resolve(projectId, accountId, distinctId) {
      require(accountId === undefined || keys.get(projectId)?.accountIds.includes(accountId));
      require(distinctId === undefined || keys.get(projectId)?.distinctIds.includes(distinctId));
      return intake.resolve(projectId, accountId, distinctId);
    },
    claimUuid(projectId, uuid, steadyMs) {
      require(keys.get(projectId)?.uuids.includes(uuid));
      return intake.claimUuid(projectId, uuid, steadyMs);
    },
    claimFirstCheck(projectId, eventName, id) {
      require(keys.get(projectId)?.firstCheckIds.get(eventName)?.has(id));
      return intake.claimFirstCheck(projectId, eventName, id);
    },
    commit: (to) => intake.commit(to),
    stats: () => intake.stats(),
    [Symbol.asyncDispose]: () => intake[Symbol.asyncDispose](),
  };
}
