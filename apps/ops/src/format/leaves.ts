import { toJson } from '@refledger/contracts';

/**
 * The values inside a JSON value by their paths, such as `metadata.plan`. A list of plain values,
 * an empty list and an empty object each count as one value.
 */
export const leavesOf = (value: unknown, path = ''): ReadonlyMap<string, unknown> => {
  const leaves = new Map<string, unknown>();
  collect(value, path, leaves);
  return leaves;
};

const collect = (value: unknown, path: string, leaves: Map<string, unknown>): void => {
  const parts = partsOf(value);
  if (parts.length === 0) leaves.set(path, value);
  for (const [name, part] of parts) collect(part, path === '' ? name : `${path}.${name}`, leaves);
};

const partsOf = (value: unknown): readonly (readonly [string, unknown])[] => {
  if (typeof value !== 'object' || value === null) return [];
  if (
    Array.isArray(value) &&
    !value.some((member) => typeof member === 'object' && member !== null)
  )
    return [];
  return Object.entries(value);
};

export const isSameLeaf = (a: unknown, b: unknown): boolean => a === b || toJson(a) === toJson(b);
