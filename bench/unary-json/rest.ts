import { create } from "@bufbuild/protobuf";
import { createAuthorizer } from "../../gateway/auth.ts";
import { createGateway } from "../../gateway/gateway.ts";
import { defaultLimits } from "../../gateway/limits.ts";
import { serve } from "../../gateway/methods.ts";
import { createMetrics } from "../../gateway/metrics/metrics.ts";
import { BookSchema, Library } from "../../test/gateway/testproto/gen/engage/test/v1/library_pb.ts";

/** The gateway with one REST route whose handler does nearly nothing: a path variable, and the body in a field. */
const metrics = createMetrics();
const gateway = createGateway({
  services: [
    serve(Library, {
      createBook: ({ parent, book = create(BookSchema) }) => ({ ...book, name: `${parent}/books/1` }),
    }),
  ],
  limits: defaultLimits,
  authorize: createAuthorizer({ mode: "off", keys: [] }),
  observers: [metrics.observer],
  reportFault: (error) => console.error(error),
  pages: { checks: () => ({}), metrics, reportFault: (error) => console.error(error) },
});
await gateway.listen("127.0.0.1", Number(process.env["PORT"]));
process.once("SIGTERM", () => process.exit(0));
