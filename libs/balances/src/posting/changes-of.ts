import {
  accountOf,
  isEventOf,
  type AccountId,
  type BalanceId,
  type LogId,
  type RecordedEvent,
} from '@refledger/contracts';
import {
  isFarAhead,
  logTimeAfter,
  balanceDeltaOf,
  payoutEndOf,
  type BalanceChange,
  type OutOfLogTime,
} from '@refledger/domain';
import { decodeEvent, PoisonEvent, type LoggedEvent } from '@refledger/event-log';
import type { BalanceOwner } from '../chapters.js';
import type { ExistingReservation } from './reservations.js';

/** The change that posting must make to a balance, and the account that owes it. */
export interface OwnedChange {
  readonly accountId: AccountId;
  readonly change: BalanceChange | ExistingReservation;
}

/**
 * The changes that the events of a batch cause, up to the first one that posting cannot get past.
 */
export interface ChangesOfBatch {
  readonly changes: readonly OwnedChange[];
  /** The last event before the failure; undefined if there is none. */
  readonly last: LoggedEvent | undefined;
  /** Log time after it. */
  readonly logTime: string | null;
  readonly failure: PoisonEvent | undefined;
  /** Log time after the next event, if that is far ahead of the clock. */
  readonly ahead: string | undefined;
}

export interface PostingContext extends OutOfLogTime {
  readonly logId: LogId;
  /** Log time before the batch. */
  readonly logTime: string | null;
  /** For the ends of payouts that are no longer skipped: log time at that decision, by event id. */
  readonly lifted: ReadonlyMap<string, string>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The changes that posting must make to one balance, in the log's order. */
export interface ChangesOfBalance {
  readonly owner: BalanceOwner;
  readonly own: OwnedChange['change'][];
}

/** Returns what the events of a batch cause, in their order. */
export const changesOf = (
  events: readonly LoggedEvent[],
  { logId, logTime: before, lifted, now, ...excluded }: PostingContext,
): ChangesOfBatch => {
  const changes: OwnedChange[] = [];
  let last: LoggedEvent | undefined;
  let logTime = before;
  const ended = (why: Partial<Pick<ChangesOfBatch, 'failure' | 'ahead'>>): ChangesOfBatch => ({
    changes,
    last,
    logTime,
    failure: undefined,
    ahead: undefined,
    ...why,
  });
  for (const event of events) {
    const timeThere = logTimeAfter(logTime, event, excluded);
    if (timeThere !== null && isFarAhead(timeThere, now)) return ended({ ahead: timeThere });
    const at = { logTime: timeThere, liftedAt: lifted.get(event.id) };
    try {
      if (!excluded.skipped.has(event.id)) changes.push(...changeOf(event, at, logId));
    } catch (error) {
      return ended({ failure: new PoisonEvent(event, error) });
    }
    logTime = timeThere;
    last = event;
  }
  return ended({});
};

/** Groups changes by balance. */
export const byBalance = (
  changes: readonly OwnedChange[],
): ReadonlyMap<BalanceId, ChangesOfBalance> => {
  const balances = new Map<BalanceId, ChangesOfBalance>();
  for (const { accountId, change } of changes) {
    const { about } = change;
    const known = balances.get(about.balance_id) ?? { owner: { accountId, about }, own: [] };
    known.own.push(change);
    balances.set(about.balance_id, known);
  }
  return balances;
};

interface SourceTime {
  readonly logTime: string | null;
  /** Log time when the skip of the event was lifted: a month that is over stays as it is. */
  readonly liftedAt: string | undefined;
}

const changeOf = (
  logged: LoggedEvent,
  { logTime, liftedAt }: SourceTime,
  log_id: LogId,
): readonly OwnedChange[] => {
  if (!mayChangeABalance(logged)) return [];
  const event = decodeEvent(logged);
  const caused = causedBy(event);
  if (caused === undefined) return [];
  const { position, id: event_id, stream, revision, metadata } = event;
  const source = { log_id, position, event_id, stream, revision };
  const time = logTime ?? metadata.recorded_at;
  const change = { ...caused, source, posted_at: time };
  const lifted = liftedAt !== undefined && {
    posted_at: liftedAt > time ? liftedAt : time,
    isLifted: true as const,
  };
  return [{ accountId: accountOf(event), change: { ...change, ...lifted } }];
};

const causedBy = (event: RecordedEvent) => {
  if (isEventOf('payout', event)) return payoutEndOf(event);
  if (!isEventOf('balance', event)) return balanceDeltaOf(event);
  if (event.type !== 'balance.reserved') return undefined;
  const { balance_id, affiliate_id, program_id, currency } = event.data;
  return { about: { balance_id, affiliate_id, program_id, currency }, reserved: event.data };
};

/** Most events are of no interest, and are not decoded. */
const mayChangeABalance = ({ type }: LoggedEvent): boolean =>
  type.startsWith('conversion.') ||
  type.startsWith('adjustment.') ||
  type.startsWith('payout.') ||
  type === 'balance.reserved';
