import { readDecisions, type EventLog } from '@refledger/event-log';
import {
  auditDeliveries,
  dispatcherName,
  type AuditedDeliveries,
} from '@refledger/webhook-endpoints';
import type { OpenDeliveryReader } from '@refledger/delivery-store';
import type { Console } from '../console.js';
import { Unreachable } from '../exit-codes.js';
import { counted } from '../format/counted.js';
import { newProgress } from '../progress.js';
import { listFindings } from './list-findings.js';

export interface WebhookVerification {
  readonly log: EventLog;
  readonly deliveries: OpenDeliveryReader;
  readonly console: Console;
  /** How many findings to list; all are counted. */
  readonly show: number;
}

/**
 * Recomputes from the log which deliveries there must be, and lists what differs. Returns the
 * number of findings. Throws `Unreachable` for a store that is not the one that the log names.
 */
export const verifyWebhooks = async ({
  log,
  deliveries,
  console,
  show,
}: WebhookVerification): Promise<number> => {
  const { store_id } = (await readDecisions(log, dispatcherName)).state;
  if (store_id !== undefined && store_id !== deliveries.id)
    throw new Unreachable(
      `the log names delivery store ${store_id}, but this is ${deliveries.id}: the recorded store is missing or was replaced`,
    );
  const head = await log.head();
  const progress = newProgress('verifying', console);
  const audit = auditDeliveries({
    log,
    store: deliveries,
    signal: console.signal,
    onProgress: (position) => progress.update(position, head),
  });
  const { findings, compared } = await listFindings(audit, {
    console,
    progress,
    show,
    lineOf: ({ endpointId, eventId, position, problem }) =>
      `${endpointId}, event ${eventId} at position ${position}: ${problem}`,
  });
  for (const line of summary(compared, findings)) await console.print(line);
  return findings;
};

const summary = (
  { plannedThrough, endpoints, statuses, skipped }: AuditedDeliveries,
  findings: number,
): readonly string[] => {
  const total = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const each = Object.entries(statuses)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`);
  const sum = each.length === 0 ? '' : ` (${each.join(' + ')})`;
  const verdict = findings === 0 ? 'matching the log' : counted(findings, 'difference');
  return [
    ...skipped.map(
      ({ processor, decision, position, deliveries, events }) =>
        `${counted(deliveries, 'delivery', 'deliveries')} skipped (events at positions ${events?.first} to ${events?.last}), as decided with \`ops ${decision} ${processor}\` at position ${position}`,
    ),
    `${counted(total, 'delivery', 'deliveries')} to ${counted(endpoints, 'endpoint')}${sum}, planned up to position ${plannedThrough ?? 'none'}: ${verdict}`,
  ];
};
