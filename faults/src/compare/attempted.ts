import { publicEventId } from '@refledger/contracts';
import type { Facts } from '../facts.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that the store has every request that a receiver got, including requests of unknown
 * outcome, and that every delivery is finished.
 */
export const compareAttempted = ({
  history,
  receipts,
  deliveries,
}: Pick<Facts, 'history' | 'receipts' | 'deliveries'>): Comparison => {
  const differences: string[] = [];
  for (const [key, { deliveries: ids, times }] of receipts) {
    const kept = [...ids].map((id) => deliveries.get(id));
    const remembered = kept.reduce((sum, delivery) => sum + (delivery?.attempts ?? 0), 0);
    if (kept.includes(undefined))
      differences.push(
        `${key} arrived, but the store has no such delivery (${[...ids].join(', ')})`,
      );
    else if (remembered < times)
      differences.push(`${key} arrived ${times} times, but the store has ${remembered} attempts`);
  }
  const all = [...deliveries.values()];
  differences.push(...lawFaults(history, deliveries));
  const sum = (sumOf: (delivery: (typeof all)[number]) => number): number =>
    all.reduce((total, delivery) => total + sumOf(delivery), 0);
  return {
    claim: 'the store has every attempt',
    figures: {
      attempts: sum(({ attempts }) => attempts),
      'of unknown outcome': sum(({ unknown }) => unknown),
      canceled: all.filter(({ status }) => status === 'canceled').length,
    },
    differences,
  };
};

const keyOf = (endpointId: string, eventId: string): string => `${endpointId} ${eventId}`;

/**
 * The delivery law: each event that an endpoint wanted has one delivery to it, which has succeeded
 * or could be canceled.
 */
const lawFaults = (
  history: Facts['history'],
  deliveries: Facts['deliveries'],
): readonly string[] => {
  const wanted = new Map(
    history.expectedDeliveries.map((one) => [
      keyOf(one.endpointId, publicEventId(one.version.event.id)),
      one,
    ]),
  );
  const found = new Set<string>();
  const faults: string[] = [];
  for (const [id, { status, endpointId, eventId, trigger }] of deliveries) {
    if (trigger !== 'event') {
      if (status !== 'succeeded') faults.push(`${trigger} ${id} of ${eventId} is ${status}`);
      continue;
    }
    const key = keyOf(endpointId, eventId);
    const one = wanted.get(key);
    if (one === undefined) faults.push(`delivery ${id} of ${eventId} was not wanted`);
    else if (status !== 'succeeded' && !(status === 'canceled' && one.mayBeCanceled))
      faults.push(`delivery ${id} of ${eventId} is ${status} in the store`);
    if (found.has(key)) faults.push(`the store has more than one delivery for ${key}`);
    found.add(key);
  }
  const missing = [...wanted.keys()].filter((key) => !found.has(key));
  return [...faults, ...missing.map((key) => `the store has no delivery for ${key}`)];
};
