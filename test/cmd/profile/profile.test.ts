import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chooseServer, type ServerChoice } from "../../../cmd/client/choose-server.ts";
import {
  listProfiles,
  type ProfileStreams,
  removeProfile,
  setProfile,
  useProfile,
} from "../../../cmd/profile/profile.ts";
import { captureOutput } from "../captured-output.ts";
import { folderWith } from "../config/load.ts";
import { runEngage } from "../run-engage.ts";

/** A user with an empty home folder. */
function openUser(files: Readonly<Record<string, string>> = {}) {
  const cwd = folderWith({ "api.key": "secret-key\n", ...files });
  const env: Record<string, string> = { HOME: join(cwd, "home") };
  const run = async (
    work: (streams: ProfileStreams) => void | Promise<void>,
    input = "",
  ): Promise<string> => {
    const { streams, written } = captureOutput(input);
    await work({ env, cwd, ...streams });
    return written.stdout;
  };
  const choose = (choice: ServerChoice = {}, file?: string) => chooseServer({ env, cwd, file }, choice);
  const stored = join(cwd, "home/.config/engage/profiles.yaml");
  return { cwd, env, run, choose, stored };
}

const production = "https://engage.example.com";

describe("profiles", () => {
  it("are stored for the user alone, listed without secrets, used and removed", async () => {
    const { run, cwd, stored } = openUser();
    expect(await run((streams) => listProfiles(streams, {}))).toBe("no profiles\n");
    expect(
      await run((streams) => setProfile("production", { url: production, keyFile: "api.key" }, streams)),
    ).toBe(`profile production (${production}) is stored\n`);
    await run(
      (streams) => setProfile("local", { url: "http://127.0.0.1:1", keyFile: "-", use: true }, streams),
      "k3y\n",
    );
    await run((streams) => setProfile("local", { tokenFile: "-" }, streams), "t0ken\n");
    expect(statSync(stored).mode & 0o777).toBe(0o600);
    expect((await run((streams) => listProfiles(streams, {}))).split("\n")).toEqual([
      expect.stringMatching(/^PROFILE +IN USE +KEY +TOKEN +URL$/),
      expect.stringMatching(/^local +yes +stored +stored +http:\/\/127\.0\.0\.1:1$/),
      expect.stringMatching(new RegExp(`^production +${join(cwd, "api.key")} +${production}$`)),
      "",
    ]);
    const json = await run((streams) => listProfiles(streams, { json: true }));
    expect(json).not.toMatch(/k3y|t0ken/);
    await run((streams) => useProfile("production", {}, streams));
    await run((streams) => removeProfile("local", {}, streams));
    expect(readFileSync(stored, "utf8")).not.toMatch(/k3y|t0ken/);
    expect(await run((streams) => listProfiles(streams, { json: true }))).toBe(
      `${JSON.stringify({ name: "production", url: production, key: join(cwd, "api.key"), hasToken: false, isInUse: true })}\n`,
    );
  });

  it.each([
    ["a/b", { url: production }, 'name of the profile is "a/b", must be 1 to 64 letters'],
    ["new", {}, 'profile "new" is new, give --url'],
    ["new", { url: "ftp://a" }, '--url is "ftp://a", must be a URL'],
    ["new", { url: production, keyFile: "none.key" }, "none.key"],
    [
      "new",
      { url: production, keyFile: "-" },
      "the first line of standard input is empty, it must be the key",
    ],
    [
      "new",
      { url: production, keyFile: "-", tokenFile: "-" },
      "standard input is either the key or the token",
    ],
  ])("%j cannot be %j", async (name, options, message) => {
    await expect(openUser().run((streams) => setProfile(name, options, streams))).rejects.toThrow(message);
  });

  it("are named when one is not known", async () => {
    const { run, env } = openUser();
    await run((streams) => setProfile("production", { url: production }, streams));
    await expect(run((streams) => useProfile("prodution", {}, streams))).rejects.toThrow(
      'profile "prodution" is not known, valid are "production"',
    );
    const homeless = { ...env, HOME: "" };
    await expect(
      run((streams) => setProfile("a", { url: production }, { ...streams, env: homeless })),
    ).rejects.toThrow("profiles need a home folder: set HOME or XDG_CONFIG_HOME");
  });

  it.each([
    ["profiles: {a: {url: x, key: s3cret}}", 'profiles.a.url must be a URL such as "http://127.0.0.1:8080"'],
    ["profiles: {a: {key: s3cret}}", "profiles.a.url"],
    ["{s3cret", "it is not YAML"],
  ])("in a wrong file %j are refused without their secrets", async (text, message) => {
    const { run, stored } = openUser();
    await run((streams) => setProfile("a", { url: production }, streams));
    writeFileSync(stored, text);
    const error = await run((streams) => listProfiles(streams, {})).catch((fault: Error) => fault);
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
    expect(String(error)).not.toContain("s3cret");
  });
});

it.each(["http:example.com", "ftp://example.com", "https://user:s3cret@example.com", "example.com"])(
  "the server %j is refused without a secret",
  async (url) => {
    const { run } = openUser();
    const error = await run((streams) => setProfile("a", { url }, streams)).catch((fault: Error) => fault);
    expect(error).toMatchObject({ message: expect.stringContaining("must be a URL such as") });
    expect(String(error)).not.toContain("s3cret");
  },
);

describe("the server to call", () => {
  const configured = { "engage.yaml": 'listen: "127.0.0.1:8200"' };

  it.each<[string, Record<string, string>, Record<string, string>, ServerChoice, string, string]>([
    ["the demo's", {}, {}, {}, "http://127.0.0.1:8080", "the demo"],
    ["that of --url", configured, { ENGAGE_PROFILE: "p" }, { url: "http://a" }, "http://a", "--url"],
    ["that of --profile", configured, { ENGAGE_PROFILE: "q" }, { profile: "p" }, "http://p", 'profile "p"'],
    ["that of ENGAGE_PROFILE", configured, { ENGAGE_PROFILE: "p" }, {}, "http://p", 'profile "p"'],
    ["the configured one", configured, {}, {}, "http://127.0.0.1:8200", 'configuration "engage.yaml"'],
  ])("is %s", async (_what, files, variables, choice, baseUrl, namedBy) => {
    const { run, env, choose } = openUser(files);
    await run((streams) => setProfile("p", { url: "http://p/" }, streams));
    Object.assign(env, variables);
    expect(choose(choice)).toMatchObject({ baseUrl, namedBy });
  });

  it("is that of the profile in use when nothing else names one", async () => {
    const { run, choose } = openUser();
    await run((streams) => setProfile("p", { url: "http://p", use: true }, streams));
    expect(choose()).toMatchObject({ baseUrl: "http://p", namedBy: 'profile "p"' });
  });

  it("gets the key and token of the command line, of the profile, or of the environment", async () => {
    const { run, env, choose, cwd } = openUser({ "other.key": "other-key" });
    Object.assign(env, { ENGAGE_KEY: "env-key", ENGAGE_TOKEN: "env-token" });
    await run((streams) => setProfile("file", { url: "http://p", keyFile: "api.key" }, streams));
    await run((streams) => setProfile("none", { url: "http://p" }, streams));
    await run((streams) => setProfile("both", { url: "http://p", tokenFile: "-" }, streams), "own-token");
    expect(choose({ profile: "file" })).toMatchObject({ key: "secret-key", token: "env-token" });
    expect(choose({ profile: "none" })).toMatchObject({ key: "env-key", token: "env-token" });
    expect(choose({ profile: "both" })).toMatchObject({ token: "own-token" });
    const given = { profile: "both", keyFile: join(cwd, "other.key"), token: "given" };
    expect(choose(given)).toMatchObject({ key: "other-key", token: "given" });
    expect(() => choose({ keyFile: "none.key", url: "http://a" })).toThrow(
      'cannot read the key file "none.key"',
    );
  });

  it("is in XDG_CONFIG_HOME when that is an absolute path", async () => {
    const { run, env, cwd } = openUser();
    env["XDG_CONFIG_HOME"] = join(cwd, "xdg");
    await run((streams) => setProfile("p", { url: production }, streams));
    expect(statSync(join(cwd, "xdg/engage/profiles.yaml")).isFile()).toBe(true);
    env["XDG_CONFIG_HOME"] = "relative";
    expect(await run((streams) => listProfiles(streams, {}))).toBe("no profiles\n");
  });
});

it("a command calls the server of a profile, and says so", async () => {
  const { cwd, env, run } = openUser();
  // Nothing listens on the reserved port 1.
  await run((streams) => setProfile("off", { url: "http://127.0.0.1:1" }, streams));
  const { code, stderr } = await runEngage(["channel", "list", "--profile", "off", "--verbose"], {
    cwd,
    env,
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^server http:\/\/127\.0\.0\.1:1 of profile "off", no key\ncall engage\.channel\.v1\.ChannelSender\/ListChannels UNAVAILABLE in \d+ ms\n/,
  );
});
