import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { Violation } from "../../base/rpc/invalid-fields.ts";
import type { Channel } from "../../gen/engage/channel/v1/channel_pb.ts";
import type { TestChannelResponseSchema } from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { FunnelSchema } from "../../gen/engage/channel/v1/statistics_pb.ts";
import type { Audience, Content, Task } from "../../gen/engage/channel/v1/task_pb.ts";
import type { ChannelStore, RunStatistics, StoredRun } from "../../store/channels/channels.ts";
import type { Segment } from "./delivery/prepare/segments.ts";

/** What the methods of ChannelSender need of audiences, contents, sending and events. */
export interface SenderPorts {
  readonly projects: Projects;
  /**
   * Checks the values of one content against the template of a channel. Fields
   * of the answer begin behind the content, such as `values["title"]`.
   */
  readonly checkContent: (channel: Channel, content: Content) => readonly Violation[];
  /**
   * Checks what only the audience's source can know, such as the names in a
   * filter; its form has been checked. Fields begin behind the audience.
   */
  readonly checkAudience: (
    projectId: bigint,
    audience: Audience,
    signal: AbortSignal,
  ) => Promise<AudienceCheck>;
  /** Why nothing would be sent to a valid URL, such as a private address that is not allowed. */
  readonly refusedAddress: (url: string, signal: AbortSignal) => Promise<string | undefined>;
  /** @throws InvalidFieldsError, ConnectError */
  readonly estimate: (request: EstimateRequest, signal: AbortSignal) => Promise<AudienceSize>;
  /** Sends one message by a channel with its secrets; what goes wrong on the way is part of the answer. */
  readonly testChannel: (
    request: TestRequest,
    signal: AbortSignal,
  ) => Promise<MessageInitShape<typeof TestChannelResponseSchema>>;
  /** Funnels of a run: of all, then by A/B group and language where there are several. */
  readonly funnels: (
    request: FunnelRequest,
    signal: AbortSignal,
  ) => Promise<readonly MessageInitShape<typeof FunnelSchema>[]>;
}

export interface AudienceCheck {
  readonly violations: readonly Violation[];
  /** What is odd and yet taken, such as a property that nobody has; a sentence each, for people. */
  readonly warnings: readonly string[];
}

export interface Projects {
  /** Offset or IANA name; undefined when there is no such project. */
  zoneOf(projectId: bigint): string | undefined;
  readonly ids: readonly number[];
}

export interface EstimateRequest {
  readonly projectId: bigint;
  readonly audience: Audience;
  readonly pushIdProperty: string;
}

export interface AudienceSize {
  readonly users: number;
  /** With a push id of their own. */
  readonly reachable: number;
}

export interface TestRequest {
  /** Checked and complete, with secrets. */
  readonly channel: Channel;
  readonly pushId: string;
  /** Undefined: defaults of the template, and a sample where there is none. */
  readonly content: Content | undefined;
}

export interface FunnelRequest {
  /** As it was when the run began, with secrets. */
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
  /** By the ids in the receipts, which may be empty. */
  readonly segments: readonly (Segment & FunnelCounts)[];
}

/** Counts the users who had events after a push. */
export type FunnelEvents = (query: FunnelQuery, signal: AbortSignal) => Promise<FunnelResult>;

/** What the methods ask the store. */
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
  /** Resolves after so many milliseconds, or when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Aborted when the server is about to stop: who watches is told to begin again. */
  readonly stopping: AbortSignal;
  /** A task with a schedule was made. */
  readonly scheduled: () => void;
  /** The name of an authenticated caller; undefined: nobody asks for a name. */
  readonly callerOf: (context: Pick<HandlerContext, "values">) => string | undefined;
}
