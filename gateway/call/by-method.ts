import type { DescMethod } from "@bufbuild/protobuf";
import type { CallRecord, ProtocolName } from "./record.ts";

type ByProtocol<T> = { [P in ProtocolName]: T | undefined };

export interface ByMethod<T> {
  /** Returns the value of the method and protocol of a call; the first call creates it. */
  of(record: CallRecord): T;
  /** Returns all values. */
  all(): T[];
}

/**
 * Keeps one value for each method and protocol, found by identity: a key of
 * names would have to be built and hashed at every call.
 */
export function createByMethod<T extends object>(
  make: (methodName: string, protocol: ProtocolName) => T,
): ByMethod<T> {
  const found = new Map<DescMethod, ByProtocol<T>>();
  return {
    of({ method, protocol }) {
      let byProtocol = found.get(method);
      if (byProtocol === undefined) {
        byProtocol = {
          grpc: undefined,
          "grpc-web": undefined,
          connect: undefined,
          rest: undefined,
          mcp: undefined,
        };
        found.set(method, byProtocol);
      }
      byProtocol[protocol] ??= make(`${method.parent.typeName}/${method.name}`, protocol);
      return byProtocol[protocol];
    },
    all: () =>
      [...found.values()].flatMap((byProtocol) =>
        Object.values(byProtocol).filter((one) => one !== undefined),
      ),
  };
}
