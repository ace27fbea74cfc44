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
  /** Names besides localhost under which a server on loopback that asks for no key may be called. */
  hosts: z.array(host()).default([]),
  /** Origins whose pages may call the server and read its answers; those of the event SDKs' paths are open to all. */
  cors: z.array(origin()).default([]),
  json: z
    .strictObject({
      /** What is done with members of JSON bodies that are not known. Paths of the platform's API and SDKs take them. */
      unknownMembers: z.enum(["refuse", "ignore"]).default("refuse"),
    })
    .prefault({}),
});
