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

export const gatewaySchema = z.strictObject({
  /** Names besides localhost under which a server on loopback that requires no key may be called. */
  hosts: z.array(host()).default([]),
  /**
   * Origins whose pages may call the server and read its responses. Paths of the event SDKs are open to all origins.
   */
  cors: z.array(origin()).default([]),
  json: z
    .strictObject({
      /** Treatment of unknown members of JSON bodies. Paths of the platform's API and SDKs always accept them. */
      unknownMembers: z.enum(["refuse", "ignore"]).default("refuse"),
    })
    .prefault({}),
});
