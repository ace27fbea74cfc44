import type { Expression } from "../../../../store/events/events.ts";
import type { VirtualProperty } from "../../project/definitions.ts";
import type { DescribeContext } from "../context.ts";
import { type Arithmetic, ArithmeticError, parseArithmetic } from "../metric/arithmetic.ts";
import { branchColumn, nested } from "./cohort-column.ts";
import { type Column, describeType, noValues, translate } from "./column.ts";
import { findEventOrUserColumn, findPropertyColumn } from "./property-column.ts";

/** Finds a virtual property by its name without `#vp@`; returns undefined when it was refused. */
export function findVirtual(name: string, field: string, context: DescribeContext): Column | undefined {
  const virtual = context.project.virtualProperties.get(name);
  if (virtual === undefined) {
    const known = () => [...context.project.virtualProperties.keys()].map((one) => `#vp@${one}`);
    const undeclared = { what: "virtual property", name: `#vp@${name}`, effect: "it has no values", known };
    context.reportUndeclared(context.problems, field, undeclared);
    return noValues;
  }
  return nested(`#vp@${name}`, field, context, (inner) => describeVirtual(virtual, field, inner));
}

function describeVirtual(
  virtual: VirtualProperty,
  field: string,
  context: DescribeContext,
): Column | undefined {
  const find = (name: string): Column | undefined => {
    if (name.startsWith("#vp@")) return findVirtual(name.slice(4), field, context);
    return virtual.table === "user"
      ? findPropertyColumn("user", name, field, context)
      : findEventOrUserColumn(name, field, context);
  };
  switch (virtual.kind) {
    case "cases":
      return branchColumn(virtual.branches, field, context);
    case "map": {
      const column = find(virtual.of);
      if (column === undefined || column.type === "nothing") return column;
      return translate(column, virtual.texts, field, context);
    }
    case "first":
      return firstOf(virtual.of.map(find), field, context);
    case "arithmetic":
      return calculated(virtual.expression, find, field, context);
  }
}

function firstOf(
  columns: readonly (Column | undefined)[],
  field: string,
  context: DescribeContext,
): Column | undefined {
  const known = columns.filter((column) => column !== undefined && column.type !== "nothing");
  const types = [...new Set(known.map((column) => describeType(column!)))];
  if (types.length > 1) {
    context.problems.refuse(
      field,
      undefined,
      `is the first of columns of different types: ${types.join(", ")}`,
    );
    return undefined;
  }
  const [column] = known;
  if (column === undefined) return noValues;
  return { ...column, value: { kind: "first", of: known.map((one) => one!.value) } };
}

function calculated(
  text: string,
  find: (name: string) => Column | undefined,
  field: string,
  context: DescribeContext,
): Column | undefined {
  try {
    const { tree, operands } = parseArithmetic(text);
    const columns = operands.map((name) => {
      const column = find(name);
      if (column === undefined || (isNumeric(column) && column.member === undefined)) return column;
      const rule = `is calculated from ${JSON.stringify(name)}, which is a ${describeType(column)}, not a number`;
      context.problems.refuse(field, undefined, rule);
      return undefined;
    });
    if (columns.includes(undefined)) return undefined;
    return { type: "number", value: toExpression(tree, columns as readonly Column[]) };
  } catch (error) {
    if (!(error instanceof ArithmeticError)) throw error;
    context.problems.refuse(
      field,
      undefined,
      `is calculated by ${JSON.stringify(text)}, which ${error.message}`,
    );
    return undefined;
  }
}

function isNumeric({ type }: Column): boolean {
  return type === "number" || type === "nothing";
}

function toExpression(tree: Arithmetic, columns: readonly Column[]): Expression {
  switch (tree.kind) {
    case "number":
      return tree;
    case "operand":
      return columns[tree.index]!.value;
    case "binary":
      return {
        kind: "arithmetic",
        operator: tree.operator,
        left: toExpression(tree.left, columns),
        right: toExpression(tree.right, columns),
      };
  }
}
