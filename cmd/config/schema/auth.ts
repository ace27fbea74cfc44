import { z } from "zod";
import { digest, name, readPath } from "./values.ts";

const methodPattern = () =>
  z
    .string()
    .regex(
      /^(\*|[A-Za-z_][\w.]*\/(\*|[A-Za-z_]\w*))$/,
      'must be "*", a service such as "proto.Parser/*" or a method such as "proto.Parser/Parse"',
    );
const methods = () => z.array(methodPattern()).min(1);

/** The section `tls`. */
export const tlsSchema = z.strictObject({
  cert: readPath().meta({
    description: "File with the certificate chain of the server, in PEM.",
    examples: ["tls/server.crt"],
  }),
  key: readPath().meta({
    description: "File with the private key of the certificate, in PEM.",
    examples: ["tls/server.key"],
  }),
  ca: readPath()
    .optional()
    .meta({
      description:
        "File with the authorities that sign client certificates, in PEM. When it is set, every caller must " +
        "present a certificate.",
      examples: ["tls/clients.crt"],
    }),
});

const keySchema = z.strictObject({
  name: name().meta({
    description: "Name of the key in logs and messages. Each key has another name.",
    examples: ["shipper"],
  }),
  sha256: digest("key").meta({
    description: "SHA-256 of the key as 64 hexadecimal digits, as `engage key create` prints it.",
    examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
  }),
  methods: methods()
    .default(["*"])
    .meta({
      description:
        'Methods that callers with this key may call: "*" for all, "proto.Parser/*" for a service, or ' +
        '"proto.Parser/Parse" for one method.',
      examples: [["proto.Parser/*"]],
    }),
  access: z
    .enum(["read", "write"])
    .default("write")
    .describe("read: only calls that change nothing. write: all calls of these methods."),
});

const certificateSchema = z.strictObject({
  subject: z
    .string()
    .min(1)
    .meta({
      description: "First URI or DNS name of the client certificate, else its common name.",
      examples: ["spiffe://example.com/shipper"],
    }),
  methods: methods().meta({
    description: "Methods that callers with this certificate may call, written as in auth.keys.",
    examples: [["proto.Parser/*"]],
  }),
});

/** The section `auth`. */
export const authSchema = z.strictObject({
  mode: z
    .enum(["keys", "off"])
    .optional()
    .describe(
      "keys: callers need a bearer key or a client certificate. off: callers need neither. Default: keys if " +
        "auth.keys or auth.certificates is set, else off, which is refused on an address that other machines reach.",
    ),
  keys: z
    .array(keySchema)
    .default([])
    .describe("Bearer keys of callers. `engage key create` makes a key and prints its entry."),
  certificates: z
    .array(certificateSchema)
    .optional()
    .describe(
      "Client certificates and what their owners may call; requires tls.ca. Default: every certificate that " +
        "tls.ca signed may call everything.",
    ),
});
