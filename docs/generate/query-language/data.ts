/** The noon of the day that the examples take for today, a Thursday. */
export const now = "2026-03-05T12:00:00Z";

interface Visitor {
  readonly account: string;
  readonly city?: string;
  readonly level: number;
  readonly registered: string;
}

interface Action {
  readonly account: string;
  readonly time: string;
}

interface Payment extends Action {
  readonly item?: string;
  readonly price: number;
  readonly gift: boolean;
  readonly tags?: readonly string[];
  readonly ordered?: string;
}

/** The users of the examples. */
export const users: readonly Visitor[] = [
  { account: "ann", city: "Cologne", level: 12, registered: "2026-03-01 08:00:00" },
  { account: "bob", city: "Berlin", level: 3, registered: "2026-02-20 10:00:00" },
  { account: "eve", level: 7, registered: "2026-03-03 10:30:00" },
];

/** The events `login`. */
export const logins: readonly Action[] = [
  { account: "ann", time: "2026-03-01 09:00:00" },
  { account: "bob", time: "2026-03-01 10:00:00" },
  { account: "ann", time: "2026-03-02 09:00:00" },
  { account: "ann", time: "2026-03-03 09:30:00" },
  { account: "eve", time: "2026-03-03 11:00:00" },
  { account: "ann", time: "2026-03-04 09:00:00" },
  { account: "bob", time: "2026-03-04 10:00:00" },
];

/** The events `pay`. */
export const payments: readonly Payment[] = [
  {
    account: "ann",
    time: "2026-03-01 09:10:00",
    item: "sword",
    price: 10,
    gift: false,
    tags: ["new", "sale"],
    ordered: "2026-03-01 09:00:00",
  },
  {
    account: "bob",
    time: "2026-03-02 12:00:00",
    item: "shield",
    price: 2.5,
    gift: true,
    tags: ["sale"],
    ordered: "2026-03-01 23:00:00",
  },
  { account: "ann", time: "2026-03-03 10:00:00", item: "sword", price: 20, gift: false },
  {
    account: "eve",
    time: "2026-03-03 12:00:00",
    item: "potion",
    price: 2.5,
    gift: true,
    tags: ["sale", "new"],
    ordered: "2026-03-03 12:30:00",
  },
  {
    account: "bob",
    time: "2026-03-04 12:00:00",
    price: 7.5,
    gift: false,
    tags: ["new", "new"],
    ordered: "2026-03-02 12:00:00",
  },
];

/** The definitions of the project. */
export const definitions = {
  cohorts: {
    advanced: { filts: [{ columnName: "level", tableType: "user", comparator: "greater", ftv: ["5"] }] },
  },
  tags: {
    stage: [
      {
        value: "high",
        filts: [{ columnName: "level", tableType: "user", comparator: "greater", ftv: ["10"] }],
      },
      { value: "low", filts: [{ columnName: "level", tableType: "user", comparator: "notNull", ftv: [] }] },
    ],
  },
  dimensions: [
    {
      property: "item",
      rows: [
        { item: "sword", kind: "weapon" },
        { item: "shield", kind: "armour" },
      ],
    },
  ],
  virtualProperties: {
    cents: { expression: "price * 100" },
    occasion: {
      cases: [
        {
          value: "present",
          filts: [{ columnName: "gift", tableType: "event", comparator: "isTrue", ftv: [] }],
        },
        {
          value: "own use",
          filts: [{ columnName: "gift", tableType: "event", comparator: "isFalse", ftv: [] }],
        },
      ],
    },
  },
  metrics: { payers: { type: "normal", eventName: "pay", analysis: "TRIG_USER_NUM" } },
};

/** Returns the records that an SDK reports, in their order. */
export function recordsOf(): readonly object[] {
  return [
    ...users.map(({ account, registered, ...properties }) => ({
      "#type": "user_set",
      "#account_id": account,
      "#time": registered,
      properties: { ...properties, registered },
    })),
    ...logins.map(({ account, time }) => event("login", account, time, {})),
    ...payments.map(({ account, time, ...properties }) => event("pay", account, time, properties)),
  ];
}

function event(name: string, account: string, time: string, properties: object): object {
  return { "#type": "track", "#event_name": name, "#account_id": account, "#time": time, properties };
}
