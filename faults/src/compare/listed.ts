import { same } from '../canonical.js';
import type { Facts } from '../facts.js';
import type { Comparison } from './comparison.js';

/** A record read by its id is what the log says; lists, walked page by page either way, hold each once, the same, and nothing else. */
export const compareListed = ({
  answers,
  history,
}: Pick<Facts, 'answers' | 'history'>): Comparison => {
  const differences: string[] = [];
  const living = [...history.versions.values()]
    .flatMap((versions) => versions.at(-1) ?? [])
    .filter(({ deleted }) => !deleted);
  for (const [id, versions] of history.versions) {
    const last = versions.at(-1);
    const answered = answers.records.get(id);
    if (last?.deleted && answered !== undefined)
      differences.push(`${id} was deleted, and still answers`);
    if (last?.deleted === false && !same(answered, last.record))
      differences.push(
        `${id} answers ${JSON.stringify(answered)}, and the log says ${JSON.stringify(last.record)}`,
      );
  }
  const wanted = (object: string): Map<string, unknown> =>
    new Map(
      living
        .filter(({ record }) => record.object === object)
        .map(({ record }) => [record.id, record]),
    );
  for (const list of answers.conversions)
    differences.push(...listFaults('conversions', list, wanted('conversion')));
  for (const list of answers.affiliates)
    differences.push(...listFaults('affiliates', list, wanted('affiliate')));
  const endpoints = answers.endpoints.map(({ id, target_url }) => ({ id, target_url }));
  differences.push(
    ...listFaults(
      'webhooks',
      endpoints,
      new Map([...history.endpoints].map(([id, target_url]) => [id, { id, target_url }])),
    ),
  );
  return {
    claim: 'lists and records agree with the log',
    figures: {
      listed: answers.conversions[0]?.length ?? 0,
      affiliates: answers.affiliates[0]?.length ?? 0,
      endpoints: answers.endpoints.length,
    },
    differences,
  };
};

const listFaults = (
  name: string,
  list: readonly { readonly id: string }[],
  wanted: ReadonlyMap<string, unknown>,
): string[] => {
  const seen = new Set<string>();
  const faults: string[] = [];
  for (const row of list) {
    if (seen.has(row.id)) faults.push(`${row.id} is twice in the list of ${name}`);
    seen.add(row.id);
    const expected = wanted.get(row.id);
    if (expected === undefined)
      faults.push(`${row.id} is in the list of ${name}, and should not be`);
    else if (!same(row, expected))
      faults.push(
        `${row.id} is listed as ${JSON.stringify(row)}, and the log says ${JSON.stringify(expected)}`,
      );
  }
  for (const id of wanted.keys())
    if (!seen.has(id)) faults.push(`${id} is missing in the list of ${name}`);
  return faults;
};
