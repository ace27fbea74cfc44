import { z } from "zod";
import { parseHost, parseOrigin } from "../../../gateway/sites/host.ts";

const host = () =>
  z
    .string()
    .refine(
      (text) => parseHost(text) !== undefined,
      'must be a host such as "engage.internal", with a port or without',
    );

const origin = () =>
  z
    .string()
    .refine(
      (text) => /^https?:\/\/[^/?#]+$/i.test(text) && parseOrigin(text) !== undefined,
      'must be the origin of a page such as "https://app.example.com", without a path',
    );

const jsonSchema = z.strictObject({
  unknownMembers: z
    .enum(["refuse", "ignore"])
    .default("refuse")
    .describe(
      "Treatment of unknown members of JSON bodies. Paths of the platform's API and SDKs always accept them.",
    ),
});

/** The section `gateway`. */
export const gatewaySchema = z.strictObject({
  hosts: z
    .array(host())
    .default([])
    .meta({
      description:
        "Names besides localhost under which a server on loopback that requires no key may be called.",
      examples: [["engage.internal"]],
    }),
  cors: z
    .array(origin())
    .default([])
    .meta({
      description:
        "Origins whose pages may call the server and read its responses. Paths of the event SDKs are open to " +
        "all origins.",
      examples: [["https://app.example.com"]],
    }),
  json: jsonSchema.prefault({}).describe("How JSON bodies are read."),
});
