import type { Facts } from '../facts.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that the store has every request that a receiver got, including those of unknown outcome,
 * and that every delivery is finished.
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
  const ended = new Set(
    history.wanted.filter(({ mayBeCanceled }) => mayBeCanceled).map(({ endpointId }) => endpointId),
  );
  for (const [id, { status, endpointId, eventId }] of deliveries) {
    if (status !== 'succeeded' && !(status === 'canceled' && ended.has(endpointId)))
      differences.push(`delivery ${id} of ${eventId} is ${status} in the store`);
  }
  const all = [...deliveries.values()];
  const sum = (of: (delivery: (typeof all)[number]) => number): number =>
    all.reduce((total, delivery) => total + of(delivery), 0);
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
