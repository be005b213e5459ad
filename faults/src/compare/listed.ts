import { same } from '../canonical.js';
import type { ReadState, Facts } from '../facts.js';
import type { History } from '../history.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that a record read by its id is what the log says, and that each list, walked page by page
 * in either direction, has every record once with the same content, and nothing else.
 */
export const compareListed = ({
  responses,
  history,
}: Pick<Facts, 'responses' | 'history'>): Comparison => {
  const endpoints = responses.endpoints.map(({ id, target_url }) => ({ id, target_url }));
  const wantedEndpoints = new Map(
    [...history.endpoints].map(([id, target_url]) => [id, { id, target_url }]),
  );
  return {
    claim: 'lists and records agree with the log',
    figures: {
      listed: responses.conversions[0]?.length ?? 0,
      adjustments: responses.adjustments[0]?.length ?? 0,
      affiliates: responses.affiliates[0]?.length ?? 0,
      endpoints: responses.endpoints.length,
    },
    differences: [
      ...recordFaults(responses, history),
      ...responses.conversions.flatMap((list) =>
        listFaults('conversions', list, currentRecords(history, 'conversion')),
      ),
      ...responses.adjustments.flatMap((list) =>
        listFaults('adjustments', list, currentRecords(history, 'adjustment')),
      ),
      ...responses.payouts.flatMap((list) =>
        listFaults('payouts', list, currentRecords(history, 'payout')),
      ),
      ...responses.runs.flatMap((list) =>
        listFaults('payout runs', list, currentRecords(history, 'payout_run')),
      ),
      ...responses.affiliates.flatMap((list) =>
        listFaults('affiliates', list, currentRecords(history, 'affiliate')),
      ),
      ...listFaults('webhooks', endpoints, wantedEndpoints),
    ],
  };
};

/** The records of a kind that exist at the end, by id. */
const currentRecords = ({ versions }: History, object: string): ReadonlyMap<string, unknown> =>
  new Map(
    [...versions.values()]
      .flatMap((all) => all.at(-1) ?? [])
      .filter(({ deleted, record }) => !deleted && record.object === object)
      .map(({ record }) => [record.id, record]),
  );

const recordFaults = ({ records }: ReadState, { versions }: History): string[] => {
  const faults: string[] = [];
  for (const [id, all] of versions) {
    const last = all.at(-1);
    const served = records.get(id);
    if (last?.deleted && served !== undefined)
      faults.push(`${id} was deleted, but is still served`);
    if (last?.deleted === false && !same(served, last.record))
      faults.push(
        `${id} is served as ${JSON.stringify(served)}, but the log has ${JSON.stringify(last.record)}`,
      );
  }
  return faults;
};

const listFaults = (
  name: string,
  list: readonly { readonly id: string }[],
  wanted: ReadonlyMap<string, unknown>,
): string[] => {
  const seen = new Set<string>();
  const faults: string[] = [];
  for (const row of list) {
    if (seen.has(row.id)) faults.push(`${row.id} appears twice in the list of ${name}`);
    seen.add(row.id);
    const expected = wanted.get(row.id);
    if (expected === undefined)
      faults.push(`${row.id} is in the list of ${name}, but should not be`);
    else if (!same(row, expected))
      faults.push(
        `${row.id} is listed as ${JSON.stringify(row)}, but the log has ${JSON.stringify(expected)}`,
      );
  }
  for (const id of wanted.keys())
    if (!seen.has(id)) faults.push(`${id} is missing from the list of ${name}`);
  return faults;
};
