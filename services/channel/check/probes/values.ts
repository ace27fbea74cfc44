import { expectOnlyMayFail } from "../judge.ts";
import { encodeMessages, type Message, messageFor, taskReceipt } from "../message.ts";
import type { Finding, Probe } from "../probe.ts";
import type { Session } from "../session.ts";

/** Sends three messages, of which the second has odd values; it alone may be named as failed. */
function bears(what: string, odd: Message): (session: Session) => Promise<Finding> {
  return async (session) => {
    const receipt = taskReceipt(session, session.options.randomId());
    const messages = [messageFor(1, receipt), messageFor(2, receipt, odd), messageFor(3, receipt)];
    return expectOnlyMayFail(await session.send(encodeMessages(messages), { what, size: 3 }), [2]);
  };
}

const rule =
  "Every value in params and custom_params is sent as a text. One element that can't be used is named in fail_list; return_code 1 fails all of them.";
const change =
  "Take the value as its text, or name this element in fail_list with return_code 0; let the others pass.";

/** Values that should be texts. */
export const valueProbes: readonly Probe[] = [
  {
    id: "numbers-for-text",
    title: "bears a number where a text is due",
    severity: "should",
    rule,
    change,
    after: ["accept"],
    run: bears("3 messages, the second with numbers and a boolean in params and custom_params", {
      params: { title: "engage check", count: 7, price: 1.5, shown: true },
      custom_params: { level: 37 },
    }),
  },
  {
    id: "nulls-for-text",
    title: "bears a null where a text is due",
    severity: "should",
    rule,
    change,
    after: ["accept"],
    run: bears("3 messages, the second with null in params and as custom_params", {
      params: { title: "engage check", subtitle: null, items: [{ item_id: null }] },
      custom_params: null,
    }),
  },
];
