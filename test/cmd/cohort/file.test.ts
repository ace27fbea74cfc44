import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readMembers } from "../../../cmd/cohort/file.ts";

const membersOf = (csv: string) =>
  Readable.from(readMembers(Readable.from([Buffer.from(csv)]), false)).toArray();

describe("members from CSV", () => {
  it.each([
    ["by mixed line ends", "account_id,value\r\na1,x\na2,y\ra3,z\r\n"],
    ["by mixed line ends that begin with LF", "#account_id,value\na1,x\r\na2,y\r\na3,z"],
    ["with a byte order mark and spaces", "\ufeffaccount_id , value\n a1, x\na2 ,y\na3,z \n"],
  ])("are read %s", async (_name, csv) => {
    expect(await membersOf(csv)).toEqual([
      { id: { case: "accountId", value: "a1" }, value: "x" },
      { id: { case: "accountId", value: "a2" }, value: "y" },
      { id: { case: "accountId", value: "a3" }, value: "z" },
    ]);
  });

  it("are refused when a quote is never closed, without reading all into memory", async () => {
    await expect(membersOf(`account_id\n"${"a\n".repeat(100_000)}`)).rejects.toThrow(
      "cannot read the members",
    );
  });
});
