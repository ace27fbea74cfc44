import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { defaultSignatureHeader } from "../../base/net/signature.ts";
import { packageRoot, packageVersion } from "../../base/package/root.ts";
import type { RestCodecs } from "../../base/rpc/rest-codec.ts";
import type { ServedMethod, ServedService } from "../../gateway/methods.ts";
import type { ApiExamples } from "../../gateway/openapi/examples.ts";
import { WebhookReceiver } from "../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { Health } from "../../gen/grpc/health/v1/health_pb.ts";
import { docsPath } from "./docs/docs.ts";

/** The examples of the API, which `npm run docs` writes. */
const examplesFile = join(packageRoot, "docs", "reference", "api-examples.json");

/** Describes the services in OpenAPI. Loads the code and the examples when the description is first requested. */
export async function describeApi(
  services: readonly ServedService[],
  codecs: RestCodecs,
): Promise<JsonObject> {
  const [{ describeOpenApi }, { comments }, examples] = await Promise.all([
    import("../../gateway/openapi/document.ts"),
    import("../../gen/comments.ts"),
    readFile(examplesFile, "utf8"),
  ]);
  return describeOpenApi(services, {
    title: "engage",
    version: packageVersion(),
    documentation: docsPath.slice(1),
    comments,
    codecs,
    security: { schemes, schemesOf },
    examples: JSON.parse(examples) as ApiExamples,
  });
}

const schemes = {
  key: {
    type: "http",
    scheme: "bearer",
    description: "A key of `auth.keys`. Servers with `auth.mode: off` need none.",
  },
  queryToken: {
    type: "apiKey",
    in: "query",
    name: "token",
    description: "A query token, which `engage token create` makes. It grants access to its projects.",
  },
  signature: {
    type: "apiKey",
    in: "header",
    name: defaultSignatureHeader,
    description:
      "The hexadecimal HMAC-SHA1 of the exact bytes of the body, with a secret of the channel. A channel may name other headers.",
  },
} as const;

/** Over REST, a method may have the authentication of the platform's API instead of keys. */
function schemesOf({ desc, options }: ServedMethod, isRest: boolean): readonly (keyof typeof schemes)[] {
  const service = desc.parent.typeName;
  if (service === Health.typeName) return [];
  if (!isRest || !options.handlerAuthenticatesRest) return ["key"];
  if (service === WebhookReceiver.typeName) return ["signature"];
  // The SDKs of applications name their application, which is no secret.
  return desc.input.fields.some(({ name }) => name === "token") ? ["queryToken", "key"] : [];
}
