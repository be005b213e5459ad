import { publicEventId } from '@refledger/contracts';
import { canonical } from '../canonical.js';
import type { Facts } from '../facts.js';
import type { Version, ExpectedDelivery } from '../history.js';
import { digest, receiptKey, type Receipt } from '../receipts.js';
import type { Comparison } from './comparison.js';
import { broughtByReplays, endpointsOfUnknownReplays } from './replayed.js';

/** The facts that it compares. `deliveries` says which ones were requested. */
type DeliveredFacts = Pick<Facts, 'entries' | 'history' | 'receipts' | 'deliveries'>;

/**
 * Checks that every event reached every endpoint that was subscribed to it, signed, with the record
 * as of exactly this event and always with the same bytes, and that nothing else arrived.
 */
export const compareDelivered = ({
  entries,
  history,
  receipts,
  deliveries,
}: DeliveredFacts): Comparison => {
  const wanted = new Map(
    [...broughtByReplays(entries, history), ...history.expectedDeliveries].map((one) => [
      receiptKey(one.path, publicEventId(one.version.event.id)),
      one,
    ]),
  );
  const maybeReplayed = new Set(
    [...endpointsOfUnknownReplays(entries)].map((id) => pathOf(history.endpoints.get(id))),
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
        ...(wanted.has(key) || maybeReplayed.has(receipt.path)
          ? []
          : [`${key} arrived at an endpoint that was not subscribed to it`]),
        ...receiptFaults(key, receipt, deliveries),
      ]),
    ],
  };
};

const wantedFaults = (
  key: string,
  { version, mayBeCanceled }: ExpectedDelivery,
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

/** The faults of the requests that arrived, whether or not they were expected. */
const receiptFaults = (
  key: string,
  { bodies, faults, deliveries }: Receipt,
  kept: Facts['deliveries'],
): string[] => {
  const differences: string[] = [];
  // deliveries with other triggers were requested, so they may repeat the event
  const ofEvent = [...deliveries].filter((id) => (kept.get(id)?.trigger ?? 'event') === 'event');
  if (bodies.size > 1) differences.push(`${key} arrived with ${bodies.size} different bodies`);
  if (ofEvent.length > 1)
    differences.push(`${key} arrived as ${ofEvent.length} deliveries: ${ofEvent.join(', ')}`);
  if (faults.size > 0) differences.push(`${key} arrived with faults: ${[...faults].join(', ')}`);
  return differences;
};

const pathOf = (url: string | undefined): string | undefined => url && new URL(url).pathname;

const envelopeOf = ({ event, record }: Version): object => ({
  id: publicEventId(event.id),
  type: event.type,
  timestamp: event.metadata.recorded_at,
  account_id: event.metadata.account_id,
  position: event.position,
  data: record,
});
