import type { MessageInitShape } from "@bufbuild/protobuf";
import type { PreviewMessageResponseSchema } from "../../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { AudienceSource } from "../audience/source.ts";
import { compileVariants } from "../audience/variants.ts";
import type { PreviewRequest } from "../ports.ts";
import { readTexts, writeTestReceipts } from "./test-message.ts";

export interface PreviewOptions {
  readonly audience: AudienceSource;
  readonly newRequestId: () => string;
}

/** Writes the message that a recipient in a group gets, in the recipient's language unless another is chosen. */
export async function previewMessage(
  { channel, task, pushId, groupId, language }: PreviewRequest,
  { audience, newRequestId }: PreviewOptions,
  signal: AbortSignal,
): Promise<MessageInitShape<typeof PreviewMessageResponseSchema>> {
  const { experimentGroups, contents, languageProperty, taskId } = task;
  const group = experimentGroups.find((one) => one.groupId === groupId) ?? experimentGroups[0];
  // A group of all users chooses the language alone.
  const groups = group === undefined ? [] : [{ ...group, share: 100 }];
  const variants = compileVariants(channel, {
    taskId,
    contents,
    languageProperty,
    experimentGroups: groups,
  });
  const texts = await readTexts(variants.properties, { channel, pushId }, audience, signal);
  const textOf = new Map(variants.properties.map((name, i) => [name, texts[i] ?? ""]));
  const wanted = variants.all.find((one) => one.language === language);
  const spoken = textOf.get(variants.languageProperty) ?? "";
  const variant = wanted ?? variants.all[variants.choose(pushId, spoken)]!;
  const { element } = variant;
  const receipts = writeTestReceipts(channel, newRequestId(), {
    groupId: variant.groupId,
    language: isMultiLanguage(task) ? variant.language : "",
  });
  const message = element.write(
    pushId,
    element.properties.map((name) => textOf.get(name) ?? ""),
    receipts,
  );
  return { message, groupId: variant.groupId, language: variant.language };
}

/** Whether any recipient of a run could get another language. */
function isMultiLanguage({ contents, experimentGroups }: PreviewRequest["task"]): boolean {
  if (experimentGroups.length === 0) return contents.length > 1;
  return experimentGroups.some(
    (group) => (group.contents.length === 0 ? contents : group.contents).length > 1,
  );
}
