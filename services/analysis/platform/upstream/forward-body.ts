import { create } from "@bufbuild/protobuf";
import { type HttpBody, HttpBodySchema } from "../../../../gen/google/api/httpbody_pb.ts";
import type { PlatformConfig } from "../config.ts";
import { refuseBroken, refuseUnmarked } from "./download.ts";
import type { Redactor } from "./redact.ts";
import type { UpstreamAnswer } from "./upstream.ts";

/** An answer of the platform as it came, but for the token: the content type with the first piece. */
export async function* forwardBody(
  answer: UpstreamAnswer,
  { unmarkedEnd }: Pick<PlatformConfig, "unmarkedEnd">,
  redactor: Redactor,
): AsyncGenerator<HttpBody> {
  await refuseBroken(answer, redactor);
  refuseUnmarked(answer, unmarkedEnd, redactor);
  let contentType = answer.contentType || "application/octet-stream";
  for await (const data of redactor.stream(answer.body)) {
    yield create(HttpBodySchema, { contentType, data });
    contentType = "";
  }
  if (contentType !== "") yield create(HttpBodySchema, { contentType });
}
