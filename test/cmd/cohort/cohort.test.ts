import { expect, it } from "vitest";
import { runEngage } from "../run-engage.ts";

it("names a file of members that can't be read", async () => {
  const args = ["cluster", "import", "vip", "no-such.txt", "--project", "1", "--token", "some-token"];
  expect(await runEngage(args)).toMatchObject({
    code: 1,
    stderr: 'engage: cannot read "no-such.txt": no such file or folder\n',
  });
});
