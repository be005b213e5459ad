import type { BalanceEvent, Position } from '@refledger/contracts';
import type { CommandHandler } from '@refledger/application';
import type { BalanceChange, PayoutEnd } from '@refledger/domain';

/** A reservation that posting meets in the log. Its payout may not have been created. */
export interface ExistingReservation extends Pick<PayoutEnd, 'about' | 'source' | 'posted_at'> {
  readonly reserved: Extract<BalanceEvent, { type: 'balance.reserved' }>['data'];
}

/** The outcome of a reservation that posting has met. */
interface ReservationOutcome {
  /** Where its payout was created; undefined if it is void. */
  readonly position: Position | undefined;
  /** The work that posting must still do. */
  readonly change: BalanceChange | undefined;
}

/**
 * Creates the payout of a reservation unless that was done before. If the payout's stream starts
 * with another event, the reservation can never become a payout: it is void, and must be released.
 */
export const finishReservation = async (
  commands: Pick<CommandHandler, 'appendAt'>,
  { about, source, posted_at, reserved }: ExistingReservation,
): Promise<ReservationOutcome> => {
  const { payout_id, amount, buckets, append } = reserved;
  const appended = await commands.appendAt(append.stream, append.events, undefined);
  if (appended !== undefined) return { position: appended.position, change: undefined };
  const payout = { payout_id, amount, became: 'void', buckets } as const;
  return { position: undefined, change: { about, source, posted_at, payout } };
};
