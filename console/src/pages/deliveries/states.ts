import { AttemptOutcome, DeliveryState } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import { RefusalReason } from "../../../../gen/engage/webhook/v1/refused_request_pb.ts";

/** The states by their names in URLs and keys of texts. */
export const states = {
  pending: DeliveryState.PENDING,
  leased: DeliveryState.LEASED,
  delivered: DeliveryState.DELIVERED,
  dead: DeliveryState.DEAD,
} as const;

export type StateName = keyof typeof states;
export const stateNames = Object.keys(states) as readonly StateName[];

export function isStateName(text: string): text is StateName {
  return Object.hasOwn(states, text);
}

/** A state of a newer server counts as pending. */
export function nameOfState(state: DeliveryState): StateName {
  return stateNames.find((name) => states[name] === state) ?? "pending";
}

export const stateTones = {
  pending: "warn",
  leased: "plain",
  delivered: "good",
  dead: "bad",
} as const satisfies Readonly<Record<StateName, string>>;

const outcomes = {
  done: AttemptOutcome.DONE,
  retry: AttemptOutcome.RETRY,
  dead: AttemptOutcome.DEAD,
} as const;

export type OutcomeName = keyof typeof outcomes;

export function nameOfOutcome(outcome: AttemptOutcome): OutcomeName {
  const names = Object.keys(outcomes) as readonly OutcomeName[];
  return names.find((name) => outcomes[name] === outcome) ?? "retry";
}

export const outcomeTones = {
  done: "good",
  retry: "warn",
  dead: "bad",
} as const satisfies Readonly<Record<OutcomeName, string>>;

/** The reasons of refusals by their names in URLs and keys of texts. */
export const refusals = {
  unknownChannel: RefusalReason.UNKNOWN_CHANNEL,
  unauthenticated: RefusalReason.UNAUTHENTICATED,
  badBody: RefusalReason.BAD_BODY,
  tooLarge: RefusalReason.TOO_LARGE,
  conflict: RefusalReason.CONFLICT,
  unavailable: RefusalReason.UNAVAILABLE,
} as const;

export type RefusalName = keyof typeof refusals | "unknown";
export const refusalNames = Object.keys(refusals) as readonly (keyof typeof refusals)[];

export function nameOfRefusal(reason: RefusalReason): RefusalName {
  return refusalNames.find((name) => refusals[name] === reason) ?? "unknown";
}
