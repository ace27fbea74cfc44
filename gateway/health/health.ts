import { create, type Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { knownNames } from "../../base/text/known-names.ts";
import { quoteText } from "../../base/text/quote.ts";
import {
  type HealthCheckRequest,
  HealthCheckResponseSchema,
  Health as HealthService,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from "../../gen/grpc/health/v1/health_pb.ts";
import { type ServedService, type Subscriber, serve } from "../methods.ts";

/** The status of a known service. */
export type ServiceStatus = "serving" | "not serving";

export interface Health {
  /** `grpc.health.v1.Health` over these states. */
  readonly served: ServedService;
  /** Whether `drain` was called. */
  readonly isDraining: boolean;
  /** Returns undefined for a name that was never set. */
  statusOf(service: string): ServiceStatus | undefined;
  /** Sets a service, the server as a whole (""), or any other name. Without effect once draining. */
  set(service: string, status: ServiceStatus): void;
  /** Sets all services to not serving, for good, and ends each Watch after it has sent that. */
  drain(): void;
}

/** Health checks need no key, and a request is only a name. */
const maxMessageBytes = 4_096;

/**
 * The state of each service and, under the name "", of the server as a whole;
 * all are serving at first. A Watch that is slower than the changes gets the
 * latest state and not all of those in between, so that it needs no queue.
 */
export function createHealth(serviceNames: Iterable<string>): Health {
  const services = [...serviceNames];
  const states = new Map<string, ServiceStatus>([["", "serving"]]);
  for (const name of services) states.set(name, "serving");
  const watchers = new Set<() => void>();
  let isDraining = false;
  const wakeAll = (): void => {
    for (const wake of watchers) wake();
  };

  async function* watch(service: string, signal: AbortSignal): AsyncGenerator<{ status: ServingStatus }> {
    let sent: ServingStatus | undefined;
    while (!signal.aborted) {
      const status = toWire(states.get(service)) ?? ServingStatus.SERVICE_UNKNOWN;
      if (status !== sent) {
        sent = status;
        // The state may change while the consumer takes this one: look again before waiting.
        yield { status };
      } else if (isDraining) {
        return;
      } else {
        await nextWake(watchers, signal);
      }
    }
  }

  /** Does the same as `watch`. */
  function subscribe(request: Message, subscriber: Subscriber): () => void {
    const { service } = request as HealthCheckRequest;
    let sent: ServingStatus | undefined;
    const wake = (): void => {
      const status = toWire(states.get(service)) ?? ServingStatus.SERVICE_UNKNOWN;
      if (status !== sent) subscriber.send(create(HealthCheckResponseSchema, { status }));
      sent = status;
      if (isDraining) subscriber.complete();
    };
    watchers.add(wake);
    wake();
    return () => watchers.delete(wake);
  }

  return {
    served: serve(
      HealthService,
      {
        check: ({ service }) => ({ status: toWire(states.get(service)) ?? refuse(service, services) }),
        watch: ({ service }, { signal }) => watch(service, signal),
      },
      { maxMessageBytes, subscribe: { watch: subscribe } },
    ),
    get isDraining() {
      return isDraining;
    },
    statusOf: (service) => states.get(service),
    set(service, status) {
      if (isDraining) return;
      states.set(service, status);
      wakeAll();
    },
    drain() {
      isDraining = true;
      for (const name of states.keys()) states.set(name, "not serving");
      wakeAll();
    },
  };
}

function toWire(status: ServiceStatus | undefined): ServingStatus | undefined {
  if (status === undefined) return undefined;
  return status === "serving" ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
}

function refuse(service: string, known: readonly string[]): never {
  const message = `there is no service ${quoteText(service)} on this server, ${knownNames(service, known)}`;
  throw new ConnectError(message, Code.NotFound);
}

/** Resolves at the next change or when the signal aborts; removes its listeners. */
function nextWake(watchers: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      watchers.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    watchers.add(wake);
    signal.addEventListener("abort", wake);
  });
}
