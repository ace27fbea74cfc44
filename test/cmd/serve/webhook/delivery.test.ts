import { expect, test } from "vitest";
import { warnOfOrphans } from "../../../../cmd/serve/webhook/delivery.ts";
import { createLog } from "../../log-lines.ts";

test("messages of removed targets are reported at start", async () => {
  const { lines, logger } = createLog();
  const books = { channel: "mail", accepted: 9, delivered: 4, dead: 0 };
  const counts = async () => [
    { ...books, target: "gone", pending: 5 },
    { ...books, target: "done", pending: 0 },
    { ...books, target: "log", pending: 5 },
  ];
  await warnOfOrphans({ counts }, {}, logger);
  expect(lines.map(({ target }) => target)).toEqual(["gone", "log"]);
});
