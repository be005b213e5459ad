import { isEventOf, streams, type EntryRecord, type StoredBucket } from '@refledger/contracts';
import { decodeEvent, type EventLog, type LoggedEvent } from '@refledger/event-log';
import { HeldRanges } from './held-ranges.js';
import type { PaidLines } from './paid-lines.js';
import type { PaidStep } from './paid-steps.js';

/** A commission that a payout pays, or no longer does. */
export interface PaidLine {
  readonly step: PaidStep;
  readonly held: HeldRanges;
  readonly commission: EntryRecord;
}

/** Lines that can be followed side by side: no two steps of one balance are in a page. */
export interface PaidLinePage {
  readonly lines: readonly PaidLine[];
  /** The last event all of whose lines are in this page or in an earlier one. */
  readonly through: LoggedEvent | undefined;
}

/** Yields the commissions of all steps a page at a time, in the order of the steps. */
export async function* paidLinePages(
  steps: readonly PaidStep[],
  log: Pick<EventLog, 'readStream'>,
  lines: Pick<PaidLines, 'commissions'>,
): AsyncGenerator<PaidLinePage> {
  let page: PaidLine[] = [];
  let through: LoggedEvent | undefined;
  for (const step of steps) {
    if (page.some((line) => line.step.balance_id === step.balance_id)) {
      yield { lines: page, through };
      page = [];
    }
    const held = new HeldRanges(await bucketsOf(step, log));
    for await (const commission of lines.commissions(step.balance_id, held)) {
      page.push({ step, held, commission });
      if (page.length < pageSize) continue;
      yield { lines: page, through };
      page = [];
    }
    through = step.event;
  }
  if (page.length > 0) yield { lines: page, through };
}

const pageSize = 100;

/** The event that completes a payout does not hold its lines; the one that created it does. */
const bucketsOf = async (
  { payout_id }: PaidStep,
  log: Pick<EventLog, 'readStream'>,
): Promise<readonly StoredBucket[]> => {
  const stream = streams.payout(payout_id);
  for await (const [logged] of log.readStream(stream, { from: 0, to: 0 })) {
    const event = logged && decodeEvent(logged);
    if (event && isEventOf('payout', event) && event.type === 'payout.created')
      return event.data.buckets;
  }
  throw new Error(`${stream} does not start with the creation of its payout`);
};
