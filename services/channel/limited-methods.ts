import { Code, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { createFairSlots } from "../../base/async/fair-slots.ts";
import { limitsOf, rangeOf } from "../../base/protobuf/limits.ts";
import { refuseField, refuseViolations, under } from "../../base/rpc/invalid-fields.ts";
import { retryLater } from "../../base/rpc/map-errors.ts";
import type { Violation } from "../../base/rpc/violation.ts";
import { checkLength } from "../../base/text/check-text.ts";
import { knownNames } from "../../base/text/known-names.ts";
import { quoteText } from "../../base/text/quote.ts";
import type { Channel } from "../../gen/engage/channel/v1/channel_pb.ts";
import {
  type ChannelSender,
  EstimateAudienceRequestSchema,
  type PreviewMessageRequest,
  PreviewMessageRequestSchema,
  type TestChannelRequest,
} from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { Task } from "../../gen/engage/channel/v1/task_pb.ts";
import { checkChannel, checkProject, completeChannel } from "./channels/channel.ts";
import { checkProperty, violationOf } from "./channels/names.ts";
import { resolveSecrets } from "./channels/stored-secrets.ts";
import type { SenderOptions } from "./ports.ts";
import { mapErrors, notFound } from "./refusals.ts";
import { checkAudience, checkMessages } from "./tasks/check-task.ts";
import { decodeChannel } from "./tasks/codec.ts";

/** Creates the method that counts the users of an audience. */
export function createEstimateMethod(
  options: SenderOptions,
): Pick<ServiceImpl<typeof ChannelSender>, "estimateAudience"> {
  const { projects } = options;
  const limitCall = createCallLimiter(
    { what: "audience estimates", maxRunning: 4, maxWaiting: 32 },
    options.callerOf,
  );
  return {
    estimateAudience: ({ projectId, audience, pushIdProperty, sampleSize }, context) =>
      mapErrors(async () => {
        refuseViolations([
          ...checkProject(projectId, projects),
          ...violationOf("push_id_property", checkProperty(pushIdProperty)),
          ...violationOf("sample_size", checkSampleSize(sampleSize)),
        ]);
        refuseViolations(under("audience", checkAudience(audience, { projectId })));
        const { signal } = context;
        const request = { projectId, audience: audience!, pushIdProperty, sampleSize };
        const { size, warnings } = await limitCall(context, projectId, async () => {
          const { violations, warnings } = await options.checkAudience(projectId, audience!, signal);
          refuseViolations(under("audience", violations));
          return { size: await options.estimate(request, signal), warnings };
        });
        return {
          users: BigInt(size.users),
          reachable: BigInt(size.reachable),
          warnings: [...warnings],
          samplePushIds: [...size.samplePushIds],
        };
      }),
  };
}

const sampleSizes = rangeOf(EstimateAudienceRequestSchema.field.sampleSize);

function checkSampleSize(size: number): string | undefined {
  const { min, max } = sampleSizes;
  return size >= min && size <= max ? undefined : `is ${size}, valid are ${min} to ${max}`;
}

/** Creates the method that writes a message of a task without sending it. */
export function createPreviewMethod(
  options: SenderOptions,
): Pick<ServiceImpl<typeof ChannelSender>, "previewMessage"> {
  const limitCall = createCallLimiter({ what: "previews", maxRunning: 4, maxWaiting: 32 }, options.callerOf);
  return {
    previewMessage: ({ task, pushId, groupId, language }, context) =>
      mapErrors(async () => {
        const { signal } = context;
        const given = task ?? refuseField("task", "is required");
        if (given.channelId === "") refuseField("task.channel_id", "is required");
        const stored = await options.store.channel(given.channelId, { signal });
        if (stored === null) throw notFound("channel", given.channelId);
        const channel = decodeChannel(stored);
        refuseViolations([
          ...under("task", checkMessages(given, channel, options)),
          ...violationOf("push_id", checkPushId(pushId)),
          ...checkChoice(given, { groupId, language }),
        ]);
        return await limitCall(context, channel.projectId, () =>
          options.previewMessage({ channel, task: given, pushId, groupId, language }, signal),
        );
      }),
  };
}

const { maxLength: maxPushId } = limitsOf(PreviewMessageRequestSchema.field.pushId);

function checkPushId(pushId: string): string | undefined {
  return pushId.trim() === "" ? "is required" : checkLength(pushId, maxPushId);
}

/** Refuses a group or a language that the task does not have. */
function checkChoice(
  { contents, experimentGroups }: Task,
  { groupId, language }: Pick<PreviewMessageRequest, "groupId" | "language">,
): readonly Violation[] {
  const groups = experimentGroups.map((group) => group.groupId);
  if (groupId !== "" && !groups.includes(groupId)) {
    const valid = knownNames(groupId, groups, { none: "the task has none" });
    return [{ field: "group_id", description: `is ${quoteText(groupId)}, ${valid}` }];
  }
  const group = experimentGroups.find((one) => one.groupId === groupId) ?? experimentGroups[0];
  const own = group?.contents ?? [];
  const languages = (own.length === 0 ? contents : own).map((content) => content.language);
  if (language === "" || languages.includes(language)) return [];
  return [
    { field: "language", description: `is ${quoteText(language)}, ${knownNames(language, languages)}` },
  ];
}

/** Creates the method that sends a test message over a channel. */
export function createTestMethod(
  options: SenderOptions,
): Pick<ServiceImpl<typeof ChannelSender>, "testChannel"> {
  const limitCall = createCallLimiter(
    { what: "channel tests", maxRunning: 8, maxWaiting: 64 },
    options.callerOf,
  );
  return {
    testChannel: (request, context) =>
      mapErrors(async () => {
        const { signal } = context;
        const channel = await channelOf(request, options, signal);
        const { pushId, content } = request;
        if (pushId.trim() === "") refuseField("push_id", "is required");
        if (content !== undefined) refuseViolations(under("content", options.checkContent(channel, content)));
        return await limitCall(context, channel.projectId, () =>
          options.testChannel({ channel, pushId, content }, signal),
        );
      }),
  };
}

async function channelOf(
  { channel, channelId }: TestChannelRequest,
  { store, projects }: SenderOptions,
  signal: AbortSignal,
): Promise<Channel> {
  if (channel !== undefined && channelId !== "") {
    refuseField("channel_id", "is set beside channel, valid is one of them");
  }
  const find = async (id: string): Promise<Channel> => {
    const stored = await store.channel(id, { signal });
    if (stored === null) throw notFound("channel", id);
    return decodeChannel(stored);
  };
  if (channel === undefined) {
    if (channelId === "") refuseField("channel", "or channel_id is required");
    return find(channelId);
  }
  // A changed definition of a stored channel keeps the stored secrets.
  const stored = channel.channelId === "" ? undefined : await find(channel.channelId);
  const complete = completeChannel(channel, stored);
  const { violations } = resolveSecrets(channel, stored);
  refuseViolations(under("channel", [...checkChannel(complete, projects), ...violations]));
  return complete;
}

/** Runs the work of a call as soon as the limits allow it. @throws ConnectError RESOURCE_EXHAUSTED */
export type LimitCall = <T>(
  context: Pick<HandlerContext, "signal" | "values">,
  projectId: bigint,
  work: () => Promise<T>,
) => Promise<T>;

export interface CallLimits {
  /** A plural noun for the calls, for error messages. */
  readonly what: string;
  readonly maxRunning: number;
  readonly maxWaiting: number;
}

/**
 * Creates a limiter for calls that are expensive or that call other servers: at most `maxRunning` calls run and
 * `maxWaiting` wait for each project, and callers are served in rotation.
 * @param callerOf the name of an authenticated caller; undefined: callers have no names
 */
export function createCallLimiter(
  { what, maxRunning, maxWaiting }: CallLimits,
  callerOf: (context: Pick<HandlerContext, "values">) => string | undefined,
): LimitCall {
  const slots = createFairSlots({
    maxRunning,
    maxWaiting,
    reserved: maxRunning,
    refuse({ running, waiting }) {
      const message = `${running} ${what} run and ${waiting} wait, try again later`;
      return retryLater(message, 5_000, { code: Code.ResourceExhausted });
    },
  });
  return async (context, projectId, work) => {
    const sharer = { group: String(projectId), member: callerOf(context) ?? "" };
    const giveBack = await slots.take(sharer, context.signal);
    try {
      return await work();
    } finally {
      giveBack();
    }
  };
}
