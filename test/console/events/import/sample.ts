/** A table of two rows with each kind of column. */
export const sample = {
  fileName: "orders.csv",
  header: ["order id", "User", "what", "Event", "ordered at", "amount", "amount"],
  rows: [
    ["1", "ann", "x y", "buy", "2026-01-31 10:00:00", "12.50", "3"],
    ["2", "bob", "", "return", "2026-02-01 10:00:00", "", "4"],
  ],
};
