import { connect, type Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { SMTPTransportGetSocket } from "nodemailer/lib/smtp-transport";
import { untilAborted } from "../../../base/async/abort.ts";
import { type Outbound, serverName } from "../../../base/net/outbound.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { describeError } from "../../../base/text/system-error.ts";
import type { TemplateInput } from "../mapping/template.ts";
import { createReconnecting } from "./reconnecting.ts";
import { messageId } from "./standard-webhooks.ts";
import { downOutcome, type Target, type TargetOutcome } from "./target.ts";
import { writeOrFault } from "./write.ts";

type WriteText = (input: TemplateInput) => string;

export interface SmtpTargetOptions {
  readonly host: string;
  readonly port: number;
  /** tls: from the first byte. starttls: required before anything is sent. none: in the clear. */
  readonly security: "tls" | "starttls" | "none";
  readonly tls: ConnectionOptions;
  readonly login: { readonly user: string; readonly pass: string } | undefined;
  readonly from: string;
  readonly to: WriteText;
  readonly subject: WriteText;
  readonly text: WriteText | undefined;
  readonly html: WriteText | undefined;
  readonly maxConnections: number;
  readonly timeoutMs: number;
  readonly outbound: Outbound;
}

/** One address and nothing else: no list, no name, nothing that ends a header. */
const address = /^[^\s<>"(),:;[\\\]@]{1,64}@[^\s<>"(),:;[\\\]@]{1,255}$/;

/** One mail for each message over kept connections. */
export function createSmtpTarget(options: SmtpTargetOptions): Target {
  const { from, to, subject, text, html } = options;
  const host = from.slice(from.lastIndexOf("@") + 1).replace(/>$/, "");
  const transport = createReconnecting({
    open: () => openTransport(options),
    isUsable: () => true,
    close: (transporter) => transporter.close(),
  });
  return {
    maxMessages: 1,
    async deliver(batch, signal) {
      const input = { batch, element: batch.elements[0]! };
      const recipient = writeOrFault(() => to(input));
      if (typeof recipient !== "string") return [recipient];
      if (!address.test(recipient)) {
        return [{ kind: "dead", reason: `to is ${quoteText(recipient)}, not one mail address` }];
      }
      try {
        const mail = {
          from,
          to: { name: "", address: recipient },
          envelope: { from, to: [recipient] },
          subject: subject(input),
          ...(text && { text: text(input) }),
          ...(html && { html: html(input) }),
          messageId: `<${messageId(batch)}@${host}>`,
        };
        const sender = await untilAborted(transport.get(), signal);
        await untilAborted(sender.sendMail(mail), signal);
        return [{ kind: "done" }];
      } catch (error) {
        return [writeFault(error) ?? outcomeOf(error)];
      }
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

function writeFault(error: unknown): TargetOutcome | undefined {
  const fault = error instanceof Error && error.name === "MissingValueError";
  return fault ? { kind: "dead", reason: error.message } : undefined;
}

/**
 * Commands whose permanent refusal concerns the recipient or the content. A refusal of an earlier command concerns
 * this sender.
 */
const messageCommands: ReadonlySet<string> = new Set(["RCPT TO", "DATA"]);

function outcomeOf(error: unknown): TargetOutcome {
  const { responseCode = 0, command = "" } = error as { responseCode?: number; command?: string };
  const reason = describeError(error);
  if (!messageCommands.has(command) || responseCode === 0 || responseCode === 421) return downOutcome(reason);
  return responseCode >= 500 ? { kind: "dead", reason } : { kind: "retry", reason };
}

async function openTransport(options: SmtpTargetOptions) {
  const { host, port, security, tls, login, maxConnections, timeoutMs, outbound } = options;
  const { createTransport } = await import("nodemailer");
  return createTransport({
    pool: true,
    host,
    port,
    maxConnections,
    maxRequeues: 0,
    tls: { ...serverName(host), ...tls },
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(login && { auth: login, forceAuth: true }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket: dialer(() => connect(outbound.connectOptions(host, port)), timeoutMs),
  });
}

function dialer(dial: () => Socket, timeoutMs: number): SMTPTransportGetSocket {
  return (_options, callback) => {
    try {
      const connection = dial();
      const giveUp = (): void => void connection.destroy(new Error(`no connection within ${timeoutMs} ms`));
      connection.setTimeout(timeoutMs, giveUp);
      connection.once("error", callback);
      connection.once("connect", () => {
        connection.setTimeout(0, giveUp);
        connection.off("timeout", giveUp);
        connection.off("error", callback);
        callback(null, { connection });
      });
    } catch (error) {
      callback(error as Error, false);
    }
  };
}
