import { publicEventId } from '@refledger/contracts';
import { canonical } from '../canonical.js';
import type { Facts } from '../facts.js';
import type { Version, Wanted } from '../history.js';
import { digest, receiptKey, type Receipt } from '../receipts.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that every event reached every endpoint that was subscribed to it, signed, with the record
 * as of exactly this event and always with the same bytes, and that nothing else arrived.
 */
export const compareDelivered = ({
  history,
  receipts,
}: Pick<Facts, 'history' | 'receipts'>): Comparison => {
  const wanted = new Map(
    history.wanted.map((one) => [receiptKey(one.path, publicEventId(one.version.event.id)), one]),
  );
  const requests = [...receipts.values()].reduce((sum, { times }) => sum + times, 0);
  return {
    claim: 'every event reached its endpoints',
    figures: {
      delivered: receipts.size,
      duplicates: requests - receipts.size,
      wanted: wanted.size,
    },
    differences: [
      ...[...wanted].flatMap(([key, one]) => wantedFaults(key, one, receipts.get(key))),
      ...[...receipts].flatMap(([key, receipt]) => [
        ...(wanted.has(key) ? [] : [`${key} arrived at an endpoint that was not subscribed to it`]),
        ...receiptFaults(key, receipt),
      ]),
    ],
  };
};

const wantedFaults = (
  key: string,
  { version, mayBeCanceled }: Wanted,
  receipt: Receipt | undefined,
): string[] => {
  const { type, position } = version.event;
  if (receipt === undefined)
    return mayBeCanceled ? [] : [`${key} (${type} at position ${position}) never arrived`];
  return hasArrived(version, receipt)
    ? []
    : [`${key} arrived with a body other than ${JSON.stringify(envelopeOf(version))}`];
};

/** Whether what arrived is the record as of exactly this event. */
export const hasArrived = (version: Version, receipt: Receipt | undefined): boolean =>
  receipt?.meaning === digest(canonical(envelopeOf(version)));

/** What is wrong with the requests that arrived, whether or not they were expected. */
const receiptFaults = (key: string, { bodies, faults, deliveries }: Receipt): string[] => {
  const differences: string[] = [];
  if (bodies.size > 1) differences.push(`${key} arrived with ${bodies.size} different bodies`);
  if (deliveries.size > 1)
    differences.push(
      `${key} arrived as ${deliveries.size} deliveries: ${[...deliveries].join(', ')}`,
    );
  if (faults.size > 0) differences.push(`${key} arrived with faults: ${[...faults].join(', ')}`);
  return differences;
};

const envelopeOf = ({ event, record }: Version): object => ({
  id: publicEventId(event.id),
  type: event.type,
  timestamp: event.metadata.recorded_at,
  account_id: event.metadata.account_id,
  position: event.position,
  data: record,
});
