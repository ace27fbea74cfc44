import type { CallFailureReason } from "../../../services/channel/judge-reply/judge-reply.ts";
import type { LoadRefusal } from "../../../services/event/load/prepared.ts";
import type { DropReason, RefusalReason } from "../../../services/event/record/record.ts";
import type { FailureReason } from "../../../services/parser/line/line.ts";
import { because, type Entry } from "./entry.ts";

/** Why a line has no record. */
export const lineReasons: Readonly<Record<FailureReason, Entry>> = {
  no_index: because(
    "The item has no INDEX before IDXSEP.",
    "Check parser.indexSeparator and parser.framing.",
  ),
  no_format: because(
    "No format has an index pattern that matches the INDEX of the line.",
    "Add a format, or widen the pattern of one.",
  ),
  empty_line: because("The line is empty.", "Nothing, unless the shipper cuts lines."),
  line_too_long: because(
    "The line is longer than parser.maxLineBytes.",
    "Raise the limit, or write shorter lines.",
  ),
  invalid_utf8: because("The line is not UTF-8.", "Write the log as UTF-8."),
  invalid_json: because(
    "The line is not JSON.",
    "Look at the example in the dead letter; lines are often cut.",
  ),
  not_an_object: because(
    "The line is JSON, but not an object.",
    "Choose another format, or `records` for lists.",
  ),
  column_count: because(
    "The line has fewer or more columns than the format names.",
    "Correct `columns` and `separator`, or set `missingColumns` or `extraColumns`.",
  ),
  no_match: because(
    "The pattern of the format does not match the line.",
    "Correct `pattern`; `engage parse` tries it.",
  ),
  missing_key: because("A field in `required` is missing.", "Correct the log, or `required`."),
  missing_id: because(
    "The record has neither `#account_id` nor `#distinct_id`.",
    "Map a field to one of them.",
  ),
  invalid_value: because(
    "A value cannot be converted to its type exactly.",
    "Correct `type` or `format`, or set `onInvalid: drop`.",
  ),
  separator_in_record: because(
    "The record contains parser.recordSeparator.",
    "Choose another separator on both sides.",
  ),
  module_error: because(
    "The function of the module failed.",
    "Correct the module; the message has its error.",
  ),
  internal_error: because("The parser has a fault.", "Report the line and the message of the log."),
};

/** Why a record is refused, by the rules or while it is loaded. */
export const recordReasons: Readonly<Record<RefusalReason | LoadRefusal, Entry>> = {
  not_json: because("The record is not JSON in UTF-8.", "Correct what writes it."),
  not_an_object: because("The record is JSON, but not an object.", "Send objects, one for each record."),
  type: because("`#type` is missing or unknown. The message lists the valid ones.", "Set `#type`."),
  time_format: because(
    "`#time` is not `yyyy-MM-dd HH:mm:ss`, with milliseconds or without, or does not exist.",
    "Correct the format.",
  ),
  time_too_old: because(
    "`#time` is more than three years ago.",
    "Correct the clock or the format of the sender.",
  ),
  time_too_new: because(
    "`#time` is more than three days ahead.",
    "Correct the clock or the zone of the sender.",
  ),
  no_id: because("The record has neither `#account_id` nor `#distinct_id`.", "Send one of them."),
  id: because("An id is not a text, or too long.", "Send ids as texts."),
  event_name: because(
    "`#event_name` is not a letter followed by at most 49 letters, digits and underscores.",
    "Correct the name.",
  ),
  event_id: because(
    "`#event_id` of an update is missing or not a text.",
    "Send the id of the event to update.",
  ),
  properties: because("`properties` is not an object.", "Send an object."),
  property_name: because(
    "A name of a property is not a letter followed by at most 49 letters, digits and underscores.",
    "Correct the name.",
  ),
  too_large: because(
    "The record has more values or keys than a record can contain.",
    "Send fewer properties.",
  ),
  event_limit: because(
    "The event is new, and the project has events.maxEventNames.",
    "Delete names by `engage store forget`, or raise the limit. Names often contain ids by mistake.",
  ),
  name_rate: because(
    "The event is new, and its app id has added events.maxNewNamesPerMinute within a minute.",
    "Send it again later, or raise the limit.",
  ),
  bad_line: because("A line of the spool is damaged.", "Read the log; the disk may have a fault."),
  unknown_project: because(
    "The project was removed from the configuration after the record was accepted.",
    "Add the project again, and replay the dead letters.",
  ),
  internal: because("The service has a fault.", "Search the log, and report the record with what it says."),
};

/** Why a row of a table makes no record, besides the reasons of lines. */
export const importReasons: Readonly<Record<string, Entry>> = {
  too_many_cells: because(
    "The row has more cells than the header has columns.",
    "Put cells with separators into double quotes.",
  ),
};

/** Why a property of an accepted record is dropped. */
export const propertyReasons: Readonly<Record<DropReason, Entry>> = {
  root_key: because("The key is not one of the root.", "Move it into `properties`."),
  name: because("A name of a member of an object is not valid.", "Correct the name."),
  reserved: because("The service uses the name, such as `#user_id`.", "Choose another name."),
  double: because("The name repeats another one, ignoring case.", "Send it once."),
  type: because(
    "The value has another type than the property, and does not convert exactly.",
    "Send the type that the property has; `engage properties` shows it.",
  ),
  range: because("The number is not finite, or the zone offset is not valid.", "Correct the value."),
  number_range: because("A whole number is beyond ±9007199254740991.", "Send it as a text."),
  too_long: because("The text is longer than 2 KiB.", "Shorten the text."),
  too_many: because("There are too many elements, members or properties.", "Send fewer."),
  too_deep: because("Objects are nested too deeply.", "Send flatter objects."),
  property_limit: because(
    "The property is new, and the project has events.maxProperties.",
    "Delete names by `engage store forget`, or raise the limit.",
  ),
  name_rate: because(
    "The property is new, and its app id has added events.maxNewNamesPerMinute within a minute.",
    "Nothing if it is rare; later records have it.",
  ),
};

/** Why messages of a push channel fail. `rejected` is of single messages, the others of whole batches. */
export const pushReasons: Readonly<Record<CallFailureReason | "rejected", Entry>> = {
  timeout: because(
    "The receiver did not respond in time.",
    "Reply faster, or raise the time limit of the channel. The receiver may have the batch.",
  ),
  connection: because("The connection failed or was cut.", "See that the receiver runs and can be reached."),
  refused_address: because(
    "The receiver has an address that is not public.",
    "Add it to channel.outbound.allow.",
  ),
  cancelled: because("The task was cancelled.", "Nothing."),
  http_status: because(
    "The receiver replied with another HTTP status than 200.",
    "Read the message; `engage check` grades a receiver.",
  ),
  return_code: because(
    "The receiver replied with a return_code other than 0, which it uses to refuse the whole batch.",
    "Read its return_message.",
  ),
  invalid_answer: because(
    "The reply does not have the specified form. The receiver may have the batch.",
    "Correct the reply; `engage check` names the rule.",
  ),
  rejected: because("The receiver listed the message in fail_list.", "Read the message of the entry."),
};
