import {
  accountOf,
  isEventOf,
  type AccountId,
  type BalanceId,
  type PayoutId,
} from '@refledger/contracts';
import { decodeEvent, PoisonEvent, type LoggedEvent } from '@refledger/event-log';

/** A payout that was completed, so that its conversions show it; or one that failed after that. */
export interface PaidStep {
  readonly type: 'pay' | 'unpay';
  readonly event: LoggedEvent;
  readonly accountId: AccountId;
  readonly balance_id: BalanceId;
  readonly payout_id: PayoutId;
  readonly payout_number: number;
}

/** The steps after the events of a batch, up to the first one that it can't read. */
export interface StepsOfBatch {
  readonly steps: readonly PaidStep[];
  /** The last event before the failure; undefined if there is none. */
  readonly last: LoggedEvent | undefined;
  readonly failure: PoisonEvent | undefined;
}

/** Returns what follows the events of a batch, in their order. */
export const stepsOf = (
  events: readonly LoggedEvent[],
  skipped: ReadonlySet<string>,
): StepsOfBatch => {
  const steps: PaidStep[] = [];
  let last: LoggedEvent | undefined;
  for (const event of events) {
    try {
      const step = skipped.has(event.id) ? undefined : stepOf(event);
      if (step !== undefined) steps.push(step);
    } catch (error) {
      return { steps, last, failure: new PoisonEvent(event, error) };
    }
    last = event;
  }
  return { steps, last, failure: undefined };
};

/** Most events are of no interest, and are not decoded. */
const stepOf = (logged: LoggedEvent): PaidStep | undefined => {
  if (logged.type !== 'payout.completed' && logged.type !== 'payout.failed') return undefined;
  const event = decodeEvent(logged);
  if (!isEventOf('payout', event) || event.type === 'payout.created') return undefined;
  const { balance_id, payout_id, payout_number, before } = event.data;
  const isPaid = event.type === 'payout.completed';
  if (!isPaid && before.status !== 'completed') return undefined;
  const type = isPaid ? 'pay' : 'unpay';
  return { type, event: logged, accountId: accountOf(event), balance_id, payout_id, payout_number };
};
