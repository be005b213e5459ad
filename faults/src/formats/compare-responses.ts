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

/**
 * The responses that follow from the log alone, without positions, which differ in another log, and
 * without what endpoints tell about their deliveries.
 */
export const ofLog = (responses: Responses): Responses =>
  Object.fromEntries(
    Object.entries(responses)
      .filter(([path]) => !/deliveries|replays|\/webhooks\/.*\/stats/.test(path))
      .map(([path, response]) => [
        path,
        JSON.parse(JSON.stringify(response, ofLogAlone)) as unknown,
      ]),
  );

function ofLogAlone(this: unknown, name: string, value: unknown): unknown {
  const isEndpoint = isObject(this) && this['object'] === 'webhook_endpoint';
  return name.endsWith('position') || (isEndpoint && deliveryFields.includes(name))
    ? undefined
    : value;
}

const deliveryFields: readonly string[] = ['failing_since', 'waiting', 'held'];
