import type { LoggedEvent } from '@refledger/event-log';
import { eventually } from '@refledger/testing';
import { same } from './canonical.js';
import { reservationsOf } from './books/open-lines.js';
import { dueTrail, writtenTrail } from './books/paid-trail.js';
import { readEvents } from './facts.js';
import { historyOf, type History, type LoadRecord } from './history.js';
import type { Subject } from './subject.js';

/**
 * Reads the log until the ledger has nothing left to do: after the last write it still carries out
 * runs, finishes reservations and notes what was paid. Gives up after a minute; the comparisons
 * then report what is missing. `known` are the events that were read before.
 */
export const readFinished = async (
  subject: Subject,
  known: readonly LoggedEvent[] = [],
): Promise<readonly LoggedEvent[]> => {
  let events = known;
  const poll = async (): Promise<void> => {
    events = await readEvents(subject, events);
    if (!isFinished(historyOf(events))) throw new Error('not yet');
  };
  await eventually(poll, { timeoutMs: 60_000, intervalMs: 50 }).catch(() => undefined);
  return events;
};

/** Whether the ledger has carried out every run and followed every payout in the log. */
const isFinished = (history: History): boolean =>
  [...history.versions.values()].every((all) => isCarriedOut(all.at(-1)?.record)) &&
  areReservationsAnswered(history) &&
  same(inOrder(writtenTrail(history)), inOrder(dueTrail(history)));

const isCarriedOut = (record: LoadRecord | undefined): boolean =>
  record?.object !== 'payout_run' ||
  (record.status === 'finished' && record.marks.every(({ applied_at }) => applied_at !== null));

/** Whether each reservation has become a payout, or was released because another one has its id. */
const areReservationsAnswered = (history: History): boolean => {
  const released = new Set(
    history.postings
      .filter(({ type }) => type === 'balance.released')
      // decoding boundary: libs/contracts/src/balances/balance.events.ts has the schemas of these events
      .map(({ data }) => data as { readonly balance_id: string; readonly payout_id: string })
      .map(({ balance_id, payout_id }) => `${balance_id} ${payout_id}`),
  );
  return reservationsOf(history).every(({ balance_id, payout_id }) => {
    const record = history.versions.get(payout_id)?.[0]?.record;
    const isMade = record?.object === 'payout' && record.balance_id === balance_id;
    return isMade || released.has(`${balance_id} ${payout_id}`);
  });
};

const inOrder = (trail: ReadonlyMap<string, readonly (string | null)[]>): readonly unknown[] =>
  [...trail].toSorted(([a], [b]) => (a < b ? -1 : 1));
