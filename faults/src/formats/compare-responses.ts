import { isObject } from '@refledger/contracts';
import type { Responses } from './read-api.js';

/** The differences between two sets of responses, each with its path in the API and in the JSON. */
export const compareResponses = (expected: Responses, found: Responses): readonly string[] =>
  [...new Set([...Object.keys(expected), ...Object.keys(found)])].flatMap((path) =>
    differences(path, expected[path], found[path]),
  );

const differences = (path: string, expected: unknown, found: unknown): readonly string[] => {
  if (Object.is(expected, found)) return [];
  const [before, after] = [fieldsOf(expected), fieldsOf(found)];
  if (before === undefined || after === undefined)
    return [`${path} was ${shown(expected)}, and is ${shown(found)}`];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    differences(`${path} ${name}`, before[name], after[name]),
  );
};

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  Array.isArray(value) || isObject(value) ? { ...value } : undefined;

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 300);
