import { publicEventId } from '@refledger/contracts';
import { canonical } from '../canonical.js';
import type { Facts } from '../facts.js';
import type { Version } from '../history.js';
import { digest, receiptKey } from '../receipts.js';
import type { Comparison } from './comparison.js';

/** Every event reached every endpoint that was subscribed to it, signed, as of exactly this event; each time the same bytes; and nothing else came. */
export const compareDelivered = ({
  history,
  receipts,
}: Pick<Facts, 'history' | 'receipts'>): Comparison => {
  const differences: string[] = [];
  const wanted = new Map(
    history.wanted.map((one) => [receiptKey(one.path, publicEventId(one.version.event.id)), one]),
  );
  for (const [key, { version, mayBeCancelled }] of wanted) {
    const receipt = receipts.get(key);
    if (receipt === undefined && !mayBeCancelled)
      differences.push(
        `${key} (${version.event.type} at position ${version.event.position}) never came`,
      );
    if (receipt !== undefined && receipt.meaning !== digest(canonical(envelopeOf(version))))
      differences.push(`${key} came with another body than ${JSON.stringify(envelopeOf(version))}`);
  }
  for (const [key, { bodies, faults, deliveries }] of receipts) {
    if (!wanted.has(key))
      differences.push(`${key} came to an endpoint that was not subscribed to it`);
    if (bodies.size > 1) differences.push(`${key} came with ${bodies.size} different bodies`);
    if (deliveries.size > 1)
      differences.push(
        `${key} came as ${deliveries.size} deliveries: ${[...deliveries].join(', ')}`,
      );
    if (faults.size > 0) differences.push(`${key} came with faults in ${[...faults].join(', ')}`);
  }
  const requests = [...receipts.values()].reduce((sum, { times }) => sum + times, 0);
  return {
    claim: 'every event reached its endpoints',
    figures: {
      delivered: receipts.size,
      duplicates: requests - receipts.size,
      wanted: wanted.size,
    },
    differences,
  };
};

const envelopeOf = ({ event, record }: Version): object => ({
  id: publicEventId(event.id),
  type: event.type,
  timestamp: event.metadata.recorded_at,
  account_id: event.metadata.account_id,
  position: event.position,
  data: record,
});
