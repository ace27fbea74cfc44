import { describe, expect, it } from "vitest";
import { outboundSchema, targetSchema } from "../../../../services/webhook/targets/config.ts";

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const smtp = {
  kind: "smtp",
  host: "mail.example.com",
  from: "news@example.com",
  to: "{push_id}",
  subject: "s",
  text: "t",
};

/** The problems of an http target, by place. */
function problemsOf(config: object): readonly string[] {
  const { error } = targetSchema.safeParse({ kind: "http", url: "https://example.com/x", ...config });
  return (error?.issues ?? []).map(({ path, message }) => `${path.join(".")} ${message}`);
}

describe("placeholders of http targets", () => {
  it.each<[string, object]>([
    ["in a path", { url: "https://example.com/hook/{push_id}/{params.a.b}" }],
    ["in a query", { url: "https://example.com?x={#ops_receipt_properties.ops_task_id}&y={{1}}" }],
    ["in headers", { headers: { "x-push": "{push_id}", "x-fixed": "a {{b}}" } }],
    ["of a batch", { per: "batch", url: "https://example.com/{@channel}", headers: { a: "{@batch_id}" } }],
  ])("%s are taken", (_name, config) => {
    expect(problemsOf(config)).toEqual([]);
  });

  it.each<[string, object, string]>([
    [
      "an unknown one",
      { url: "https://example.com/{pushid}" },
      "url has the unknown placeholder {pushid}, the nearest is {push_id}, valid are {push_id}, ",
    ],
    ["with the nearest", { url: "https://example.com/{pushid}" }, "the nearest is {push_id}"],
    ["with the nearest root", { url: "https://example.com/{parms.title}" }, "the nearest is {params.title}"],
    [
      "in the host",
      { url: "https://{push_id}.example.com/x" },
      "url has a placeholder in its scheme, host or port",
    ],
    [
      "as the port",
      { url: "https://example.com:{@index}/x" },
      "url has a placeholder in its scheme, host or port",
    ],
    [
      "as the scheme",
      { url: "{push_id}://example.com/x" },
      "url has a placeholder in its scheme, host or port",
    ],
    ["as the whole", { url: "{params.url}" }, "url must be a URL such as"],
    ["after #", { url: "https://example.com/x#{push_id}" }, "url has a placeholder after #"],
    ["a lone brace", { url: "https://example.com/{x" }, 'url has a lone "{"'],
    ["under ..", { url: "https://example.com/{push_id}/../x" }, 'url goes back over a placeholder by ".."'],
    [
      "of a message in a batch",
      { per: "batch", url: "https://example.com/{push_id}" },
      "url names {push_id}, but with per: batch",
    ],
    [
      "in a batch's header",
      { per: "batch", headers: { a: "{@index}" } },
      "headers.a names {@index}, but with per: batch",
    ],
    [
      "in a header",
      { headers: { a: "{push_di}" } },
      "headers.a has a brace that does not begin a placeholder, the nearest is {push_id}",
    ],
  ])("%s are refused", (_name, config, problem) => {
    expect(problemsOf(config)).toEqual([expect.stringContaining(problem)]);
  });

  it("are refused without a word of what may be a secret", () => {
    const problems = problemsOf({ headers: { authorization: "s3cr3t{t0ken}", other: "s3cr3t{" } });
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toMatch(/s3cr3t|t0ken/);
  });
});

describe("targets", () => {
  it.each<[string, object]>([
    ["http", { kind: "http", url: "https://example.com/x" }],
    [
      "http with everything",
      {
        kind: "http",
        url: "http://127.0.0.1:1/",
        method: "PUT",
        per: "batch",
        headers: { "X-Api-Key": "k" },
        body: { to: "{push_id}", list: ["{params.items}", 1, null] },
        missing: "omit",
        signing: [secret],
        when: { task: ["t1", "t2"], "params.vip": "1" },
        ordered: true,
        maxPerSecond: 10,
        retry: { maxAttempts: 3 },
        breaker: { failures: 1 },
        tls: { ca: "ca.pem" },
      },
    ],
    ["grpc", { kind: "grpc", url: "http://127.0.0.1:9000" }],
    ["smtp", smtp],
    ["nats", { kind: "nats", servers: ["nats://127.0.0.1:4222"], subject: "push.mail" }],
    ["redis", { kind: "redis", host: "127.0.0.1", stream: "push" }],
    ["file", { kind: "file", path: "out.ndjson" }],
    ["log", { kind: "log", otherwise: true }],
    ["pull", { kind: "pull", retry: { maxAttempts: 3 } }],
  ])("of kind %s are taken", (_name, config) => {
    expect(targetSchema.safeParse(config).error).toBeUndefined();
  });

  it("has values for what is left out", () => {
    expect(targetSchema.parse({ kind: "http", url: "https://example.com/x" })).toMatchObject({
      method: "POST",
      per: "message",
      missing: "fail",
      concurrency: 8,
      timeoutMs: 10_000,
      ordered: false,
      retry: { maxAttempts: 20, maxAgeMs: 86_400_000, minDelayMs: 1_000, maxDelayMs: 3_600_000 },
      breaker: { failures: 5, openMs: 5_000, maxOpenMs: 60_000 },
    });
  });

  it.each<[string, object, string, string]>([
    ["an unknown kind", { kind: "fax" }, "kind", ""],
    ["an unknown key", { kind: "log", levle: 1 }, "", "levle"],
    ["a URL of another protocol", { kind: "http", url: "ftp://example.com" }, "url", "must be a URL"],
    ["a login in a URL", { kind: "http", url: "http://u:p@example.com" }, "url", "use headers instead"],
    ["a path for gRPC", { kind: "grpc", url: "http://a:1/x" }, "url", "must have no path"],
    ["a secret of another form", { kind: "http", url: "http://a", signing: ["abc"] }, "signing.0", "whsec_"],
    [
      "a fault deep in a template",
      { kind: "http", url: "http://a", body: { a: [1, { b: "{parms.x}" }] } },
      "body.a.1.b",
      "has the unknown placeholder {parms.x}, the nearest is {params.x}, valid",
    ],
    ["a fault in a mail's text", { ...smtp, subject: "{" }, "subject", 'has a lone "{"'],
    ["a mail without content", { ...smtp, text: undefined }, "", "needs text or html"],
    ["half a login", { ...smtp, user: "u" }, "", "needs user and password together"],
    ["half a certificate", { kind: "grpc", url: "http://a", tls: { cert: "c.pem" } }, "tls", "cert and key"],
    [
      "a subject with a wildcard",
      { kind: "nats", servers: ["nats://a"], subject: "a.>" },
      "subject",
      "wildcards",
    ],
    [
      "a condition on nothing",
      { kind: "log", when: { lang: "en" } },
      "when.lang",
      "is not a field of a message, valid are task, language, push_id, params.<name>",
    ],
    ["a port in a host", { kind: "redis", host: "a:1", stream: "s" }, "host", "without a port"],
  ])("refuse %s", (_name, config, path, message) => {
    const issues = targetSchema.safeParse(config).error?.issues ?? [];
    expect(issues.map((issue) => issue.path.join("."))).toContain(path);
    expect(issues.map((issue) => issue.message).join()).toContain(message);
  });
});

describe("outbound", () => {
  it("takes networks, addresses and places", () => {
    const allow = ["10.0.0.0/8", "127.0.0.1", "::1", "[::1]:9000", "mail.internal:587"];
    expect(outboundSchema.parse({ allow })).toEqual({ allow });
  });

  it("allows nothing by default", () => {
    expect(outboundSchema.parse({})).toEqual({ allow: [] });
  });

  it.each(["10.0.0.0/33", "mail.internal", "http://a:1", "*", ""])("refuses %j", (entry) => {
    expect(outboundSchema.safeParse({ allow: [entry] }).success).toBe(false);
  });
});
