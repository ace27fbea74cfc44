import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { describe, expect, it } from "vitest";
import { createOutbound } from "../../../../base/net/outbound.ts";
import { compileText } from "../../../../services/webhook/mapping/template.ts";
import { createSmtpTarget, type SmtpTargetOptions } from "../../../../services/webhook/targets/smtp.ts";
import { testTarget } from "../../../conformance/target.ts";
import { handedBatch, messageJson } from "../handed.ts";

interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

const loopback = createOutbound({ allow: ["127.0.0.0/8"] });

function openTarget(port: number, changes: Partial<SmtpTargetOptions> = {}) {
  return createSmtpTarget({
    host: "127.0.0.1",
    port,
    security: "none",
    tls: {},
    login: undefined,
    from: "news@example.com",
    to: compileText("{push_id}", "fail"),
    subject: compileText("{params.title}", "fail"),
    text: compileText("{#ops_receipt_properties}", "fail"),
    html: undefined,
    maxConnections: 4,
    timeoutMs: 5_000,
    outbound: loopback,
    ...changes,
  });
}

/** A mail server on a port of its own choice, or a given one. */
async function openServer(options: SMTPServerOptions = {}, port = 0) {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    logger: false,
    closeTimeout: 1,
    async onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const { mailFrom, rcptTo } = session.envelope;
      const from = mailFrom === false ? "" : mailFrom.address;
      mails.push({ from, to: rcptTo.map(({ address }) => address), text: Buffer.concat(chunks).toString() });
      callback();
    },
    ...options,
  });
  // Connections that the server itself breaks off.
  server.on("error", () => {});
  server.listen(port, "127.0.0.1");
  await once(server.server, "listening");
  const { port: own } = server.server.address() as AddressInfo;
  return {
    mails,
    port: own,
    async [Symbol.asyncDispose]() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      await promise;
    },
  };
}

function refuse(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

async function openRig() {
  let refusal: SMTPServerOptions["onRcptTo"] = (_address, _session, callback) => callback();
  const options: SMTPServerOptions = { onRcptTo: (...parts) => refusal?.(...parts) };
  let server = await openServer(options);
  const { port, mails } = server;
  const target = openTarget(port);
  const refusals: Record<string, SMTPServerOptions["onRcptTo"]> = {
    later: (_address, _session, callback) => callback(refuse(450, "mailbox busy")),
    never: (_address, _session, callback) => callback(refuse(550, "no such user")),
    hang: () => {},
  };
  return {
    target,
    behave(behaviour: string) {
      refusal = refusals[behaviour];
    },
    received: () =>
      mails.map(({ to, text }) => ({ pushId: to[0]!, receipt: text.split("\r\n\r\n")[1]!.trim() })),
    goAway: () => server[Symbol.asyncDispose](),
    async comeBack() {
      server = await openServer(options, port);
    },
    async [Symbol.asyncDispose]() {
      await target[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

testTarget("smtp", openRig, ["later", "never", "hang"]);

const { signal } = new AbortController();

it("sends a mail with an id that stays", async () => {
  await using server = await openServer();
  await using target = openTarget(server.port, { html: compileText("<b>{params.title}</b>", "fail") });
  const batch = handedBatch([messageJson("ann@example.com", "{}", '{"title":"Grüße"}')]);
  expect(await target.deliver(batch, signal)).toEqual([{ kind: "done" }]);
  const [mail] = server.mails;
  expect(mail).toMatchObject({ from: "news@example.com", to: ["ann@example.com"] });
  expect(mail?.text).toMatch(/^Message-ID: <msg_b1_0_crm@example\.com>\r$/m);
  expect(mail?.text).toMatch(/^Subject: =\?UTF-8\?/m);
});

describe("addresses that are not exactly one", () => {
  it.each([
    "",
    "ann",
    "a@example.com, b@example.com",
    "a@example.com\r\nBcc: b@example.com",
    "Ann <ann@example.com>",
    "a@b@example.com",
    "@example.com",
    "ann@",
    "a b@example.com",
  ])("%j gets nothing", async (pushId) => {
    await using server = await openServer();
    await using target = openTarget(server.port);
    const outcomes = await target.deliver(handedBatch([messageJson(pushId)]), signal);
    expect(outcomes).toEqual([{ kind: "dead", reason: expect.stringContaining("not one mail address") }]);
    expect(server.mails).toEqual([]);
  });
});

it("keeps line ends of a message out of the head of the mail", async () => {
  await using server = await openServer();
  await using target = openTarget(server.port);
  const params = JSON.stringify({ title: "Hi\r\nBcc: eve@example.com\r\n\r\nbody" });
  await target.deliver(handedBatch([messageJson("ann@example.com", "{}", params)]), signal);
  const [mail] = server.mails;
  expect(mail?.to).toEqual(["ann@example.com"]);
  expect(mail?.text.split("\r\n\r\n")[0]).not.toMatch(/^Bcc:/m);
});

it("gives up a message that lacks what the mail needs", async () => {
  await using server = await openServer();
  await using target = openTarget(server.port);
  const outcomes = await target.deliver(handedBatch([messageJson("ann@example.com", "{}", "{}")]), signal);
  expect(outcomes).toEqual([{ kind: "dead", reason: "message has no params.title" }]);
});

it.each<[string, Partial<SmtpTargetOptions>, string]>([
  ["wants TLS of a server that has none", { security: "starttls" }, "STARTTLS"],
  ["has a login that the server knows nothing of", { login: { user: "u", pass: "p" } }, "EAUTH"],
  ["may not dial the address", { outbound: createOutbound({ allow: [] }) }, "not public"],
])("tries again when it %s", async (_name, changes, reason) => {
  await using server = await openServer();
  await using target = openTarget(server.port, changes);
  expect(await target.deliver(handedBatch([messageJson("ann@example.com")]), signal)).toEqual([
    expect.objectContaining({ kind: "retry", isTargetDown: true, reason: expect.stringContaining(reason) }),
  ]);
});

it("logs in", async () => {
  const logins: unknown[] = [];
  await using server = await openServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      logins.push([username, password]);
      callback(null, { user: username });
    },
  });
  await using target = openTarget(server.port, { login: { user: "u", pass: "p" } });
  expect(await target.deliver(handedBatch([messageJson("ann@example.com")]), signal)).toEqual([
    { kind: "done" },
  ]);
  expect(logins).toEqual([["u", "p"]]);
});
