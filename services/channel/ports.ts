import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { Violation } from "../../base/rpc/violation.ts";
import type { Trace } from "../../base/trace/trace.ts";
import type { Channel } from "../../gen/engage/channel/v1/channel_pb.ts";
import type {
  PreviewMessageResponseSchema,
  TestChannelResponseSchema,
} from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { FunnelSchema } from "../../gen/engage/channel/v1/statistics_pb.ts";
import type { Audience, Content, Task } from "../../gen/engage/channel/v1/task_pb.ts";
import type { ChannelStore, RunStatistics, StoredRun } from "../../store/channels/channels.ts";
import type { Segment } from "./delivery/prepare/segments.ts";

/** The operations on audiences, contents, receivers and events that the methods of ChannelSender use. */
export interface SenderPorts {
  readonly projects: Projects;
  /**
   * Checks the values of one content against the template of a channel. The fields of the violations are relative to
   * the content, such as `values["title"]`.
   */
  readonly checkContent: (channel: Channel, content: Content) => readonly Violation[];
  /**
   * Checks what only the audience's source knows, such as the names in a filter, after the form was checked. The fields
   * of the violations are relative to the audience.
   */
  readonly checkAudience: (
    projectId: bigint,
    audience: Audience,
    signal: AbortSignal,
  ) => Promise<AudienceCheck>;
  /** Returns why messages must not be sent to a valid URL, such as a private address that is not allowed. */
  readonly refusedAddress: (url: string, signal: AbortSignal) => Promise<string | undefined>;
  /** @throws InvalidFieldsError, ConnectError */
  readonly estimate: (request: EstimateRequest, signal: AbortSignal) => Promise<AudienceSize>;
  /** Sends one message over a channel with its secrets; the response contains failures of the call. */
  readonly testChannel: (
    request: TestRequest,
    signal: AbortSignal,
  ) => Promise<MessageInitShape<typeof TestChannelResponseSchema>>;
  /** Writes one message of a task, and sends nothing. */
  readonly previewMessage: (
    request: PreviewRequest,
    signal: AbortSignal,
  ) => Promise<MessageInitShape<typeof PreviewMessageResponseSchema>>;
  /** Computes the funnels of a run: of all users, then of each A/B group and language if there are several. */
  readonly funnels: (
    request: FunnelRequest,
    signal: AbortSignal,
  ) => Promise<readonly MessageInitShape<typeof FunnelSchema>[]>;
}

export interface AudienceCheck {
  readonly violations: readonly Violation[];
  /** Sentences about accepted but suspicious values, such as a property that no user has. */
  readonly warnings: readonly string[];
}

export interface Projects {
  /** Returns the offset or IANA name of a project's zone; undefined for an unknown project. */
  zoneOf(projectId: bigint): string | undefined;
  readonly ids: readonly number[];
}

export interface EstimateRequest {
  readonly projectId: bigint;
  readonly audience: Audience;
  readonly pushIdProperty: string;
  /** The maximum number of push ids to return. */
  readonly sampleSize: number;
}

export interface AudienceSize {
  readonly users: number;
  /** Users with a push id that no user before them has. */
  readonly reachable: number;
  /** The first push ids. */
  readonly samplePushIds: readonly string[];
}

export interface TestRequest {
  /** Checked and complete, with secrets. */
  readonly channel: Channel;
  readonly pushId: string;
  /** Undefined: defaults of the template, and sample values for fields without a default. */
  readonly content: Content | undefined;
}

export interface PreviewRequest {
  readonly channel: Channel;
  /** With contents that are valid. */
  readonly task: Task;
  readonly pushId: string;
  /** Empty: the first group of an A/B test. */
  readonly groupId: string;
  /** Empty: the language of the recipient. */
  readonly language: string;
}

export interface FunnelRequest {
  /** The channel as it was when the run began, with secrets. */
  readonly channel: Channel;
  readonly task: Task;
  readonly run: StoredRun;
  readonly statistics: RunStatistics;
}

/** A query for the events of a project that belong to a run. */
export interface FunnelQuery {
  readonly projectId: number;
  /** Members that `#ops_receipt_properties` of an event must have. */
  readonly receipt: Readonly<Record<string, string>>;
  /** Events with such a receipt. */
  readonly events: readonly string[];
  /** Events of the same users, without a receipt. */
  readonly conversionEvents: readonly string[];
  /** Milliseconds since 1970; the range is [fromMs, toMs). */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Numbers of different users. */
export interface FunnelCounts {
  /** One for each of the events. */
  readonly users: readonly number[];
  readonly conversions: number;
}

export interface FunnelResult extends FunnelCounts {
  /** The counts of each segment, by the ids in the receipts, which may be empty. */
  readonly segments: readonly (Segment & FunnelCounts)[];
}

/** Counts the users who had events after a push. */
export type FunnelEvents = (query: FunnelQuery, signal: AbortSignal) => Promise<FunnelResult>;

/** The operations of the store that the methods use. */
export type SenderStore = Pick<
  ChannelStore,
  | "createChannel"
  | "channel"
  | "channels"
  | "updateChannel"
  | "deleteChannel"
  | "createTask"
  | "task"
  | "tasks"
  | "startRun"
  | "cancelTask"
  | "run"
  | "statistics"
  | "batches"
>;

export interface SenderOptions extends SenderPorts {
  readonly store: SenderStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Resolves after `ms` milliseconds, or when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Aborted when the server is about to stop; then watching calls end with UNAVAILABLE. */
  readonly stopping: AbortSignal;
  /** Called after a task with a schedule was created. */
  readonly scheduled: () => void;
  /** The name of an authenticated caller; undefined: callers are not authenticated. */
  readonly callerOf: (context: Pick<HandlerContext, "values">) => string | undefined;
  /** Returns the trace of a call, which the run that it starts continues. Default: none. */
  readonly traceOf?: (context: Pick<HandlerContext, "values">) => Trace | undefined;
}
