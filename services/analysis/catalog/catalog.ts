import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  type Catalog,
  type ListProjectsResponseSchema,
  ProjectEngine,
} from "../../../gen/engage/analysis/v1/catalog_pb.ts";
import type { Admission, Reach } from "../admission/admission.ts";
import { findReached } from "../admission/reached-project.ts";
import type { AnalysisObserver } from "../observer.ts";
import { type CallInfo, runCall, withinTime } from "../run-call.ts";
import { secondsOf } from "../time-limit.ts";
import { getEvent, listEvents } from "./events.ts";
import { type CatalogCall, createKeptVolumes } from "./kept-volumes.ts";
import { listDimensions, listMetrics, listProperties } from "./properties.ts";
import { refuseInvalidFields, refusePlatform } from "./refusals.ts";
import { createKeptValues, listValues } from "./values.ts";

export interface CatalogOptions {
  readonly admission: Admission;
  readonly observer: AnalysisObserver;
}

interface CatalogRequest {
  readonly token: string;
  readonly projectId: bigint;
}

/**
 * The Catalog service: lists what the queries of a project can name.
 *
 * `kept-volumes.ts` reads how much of what the project has, which `index-volumes.ts` (with `carriers.ts`) puts in
 * order;
 * `events.ts` and `properties.ts` make pages of it (`take-page.ts`), and `values.ts` those of the values of a column.
 * `refusals.ts` has the errors. The port to the data is CatalogPort.
 */
export function createCatalog({ admission, observer }: CatalogOptions): ServiceImpl<typeof Catalog> {
  const volumes = createKeptVolumes();
  const values = createKeptValues();
  const reach = ({ token }: Pick<CatalogRequest, "token">, context: HandlerContext): Reach =>
    admission.reach({ token, context });
  const run = <T>(context: HandlerContext, work: (notes: CallInfo, signal: AbortSignal) => Promise<T>) =>
    runCall(observer, "catalog", context.signal, (notes) =>
      withinTime(context.signal, secondsOf(), (signal) => refuseInvalidFields(() => work(notes, signal))),
    );
  const onProject = <R extends CatalogRequest, T>(
    work: (request: R, call: CatalogCall) => T | Promise<T>,
  ) => {
    return (request: R, context: HandlerContext): Promise<T> =>
      run(context, async (notes, signal) => {
        const call = { ...findProject(reach(request, context), request.projectId), signal };
        notes.engine = "embedded";
        return await work(request, call);
      });
  };
  return {
    listProjects: (request, context) => run(context, async () => shapeProjects(reach(request, context))),
    listEvents: onProject((request, call) => listEvents(request, call, volumes)),
    getEvent: onProject((request, call) => getEvent(request, call, volumes)),
    listProperties: onProject((request, call) => listProperties(request, call, volumes)),
    listPropertyValues: onProject((request, call) => listValues(request, call, values)),
    listDimensions: onProject((_request, { port }) => listDimensions(port.definitions)),
    listMetrics: onProject((_request, { port }) => listMetrics(port.definitions)),
  };
}

function findProject(reach: Reach, given: bigint): Omit<CatalogCall, "signal"> {
  const reached = findReached(reach, given);
  const { catalog: port } = reached.project;
  if (port === undefined) throw refusePlatform(reached.projectId);
  return { ...reached, port };
}

function shapeProjects({ projects }: Reach): MessageInitShape<typeof ListProjectsResponseSchema> {
  const shaped = Array.from(projects, ([projectId, { catalog }]) => ({
    projectId: BigInt(projectId),
    engine: catalog === undefined ? ProjectEngine.PLATFORM : ProjectEngine.EMBEDDED,
    zone: catalog?.definitions.zone ?? "",
  }));
  return { projects: shaped.sort((a, b) => Number(a.projectId - b.projectId)) };
}
