import type { JsonKind } from "../../../base/json/cursor.ts";
import { type ShapeReader, ValueShapes } from "../../../base/json/value-shapes.ts";
import type { ScannedElement, Span } from "./scan-fields.ts";

/** What an element of a known shape holds, and which of its marks are where. */
interface ElementShape {
  readonly params: JsonKind | undefined;
  readonly customParams: JsonKind | undefined;
  /** Places in the list of marks; the mark of the end follows, except for the receipt, which holds the request id. */
  readonly pushId: number;
  readonly receipt: number;
  readonly receiptEnd: number;
  /** Undefined: the receipt has none. */
  readonly requestId: number | undefined;
}

/** The shapes of the elements of a channel: its batches are made from a few templates. */
export type ElementShapes = ValueShapes<ElementShape>;

export type ElementReader = ShapeReader<ElementShape>;

const maxShapes = 4;

export function createElementShapes(): ElementShapes {
  return new ValueShapes(maxShapes);
}

/** Reads the element at a byte if it has a known shape. */
export function readElement(reader: ElementReader, start: number): ScannedElement | undefined {
  const shape = reader.read(start);
  if (shape === undefined) return undefined;
  const { end, marks } = reader;
  const { params, customParams, pushId, receipt, receiptEnd, requestId } = shape;
  return {
    kind: "object",
    start,
    end,
    pushId: textAt(marks, pushId),
    params,
    customParams,
    receipt: { kind: "object", start: marks[receipt]!, end: marks[receiptEnd]!, escaped: false },
    requestId: requestId === undefined ? undefined : textAt(marks, requestId),
    problem: undefined,
  };
}

function textAt(marks: readonly number[], place: number): Span {
  return { kind: "string", start: marks[place]!, end: marks[place + 1]!, escaped: false };
}

/** Learns the shape of an element of which nothing was counted as odd. */
export function learnElement(reader: ElementReader, element: ScannedElement): void {
  const { start, end, pushId, params, customParams, receipt, requestId, problem } = element;
  if (pushId?.kind !== "string" || receipt?.kind !== "object" || problem !== undefined) return;
  const spans = requestId === undefined ? [pushId, receipt] : [pushId, receipt, requestId];
  const marks = spans.flatMap((span) => [span.start, span.end]).sort((a, b) => a - b);
  reader.learn(start, end, marks, {
    params,
    customParams,
    pushId: marks.indexOf(pushId.start),
    receipt: marks.indexOf(receipt.start),
    receiptEnd: marks.indexOf(receipt.end),
    requestId: requestId && marks.indexOf(requestId.start),
  });
}
