import type { DescMethod } from "@bufbuild/protobuf";
import { createRouterTransport, type MethodImpl, type Transport } from "@connectrpc/connect";
import type { ServedService } from "../../gateway/methods.ts";

/** A transport to these services without a network. */
export function connectInMemory(services: readonly ServedService[]): Transport {
  return createRouterTransport((router) => {
    for (const { desc, spec } of services.flatMap(({ methods }) => methods)) {
      router.rpc(desc, spec.impl as MethodImpl<DescMethod>);
    }
  });
}
