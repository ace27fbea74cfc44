import { expectOnlyMayFail } from "../judge.ts";
import { encodeMessages, type Message, messageFor, taskReceipt } from "../message.ts";
import type { Finding, Probe } from "../probe.ts";
import type { Session } from "../session.ts";

/** Returns a probe that sends three messages, of which the second has unusual values; only it may be in `fail_list`. */
function tolerates(what: string, odd: Message): (session: Session) => Promise<Finding> {
  return async (session) => {
    const receipt = taskReceipt(session, session.options.randomId());
    const messages = [messageFor(1, receipt), messageFor(2, receipt, odd), messageFor(3, receipt)];
    return expectOnlyMayFail(await session.send(encodeMessages(messages), { what, size: 3 }), [2]);
  };
}

const rule =
  "Every value in params and custom_params is sent as a string. An unusable element is listed in fail_list; return_code 1 fails all elements.";
const change =
  "Convert the value to a string, or list this element in fail_list with return_code 0; accept the others.";

/** Probes that send values which should be strings. */
export const valueProbes: readonly Probe[] = [
  {
    id: "numbers-for-text",
    title: "tolerates a number instead of a string",
    severity: "should",
    rule,
    change,
    after: ["accept"],
    run: tolerates("3 messages, the second with numbers and a boolean in params and custom_params", {
      params: { title: "engage check", count: 7, price: 1.5, shown: true },
      custom_params: { level: 37 },
    }),
  },
  {
    id: "nulls-for-text",
    title: "tolerates a null instead of a string",
    severity: "should",
    rule,
    change,
    after: ["accept"],
    run: tolerates("3 messages, the second with null in params and as custom_params", {
      params: { title: "engage check", subtitle: null, items: [{ item_id: null }] },
      custom_params: null,
    }),
  },
];
