import {
  streams,
  type AccountId,
  type PayoutId,
  type PayoutStatus,
  type PayoutRecord,
} from '@refledger/contracts';
import { affiliateOf, type CommandHandler } from '@refledger/application';
import { payoutDecider, payoutRecord, recipientOf } from '@refledger/domain';
import type { MoneyReads } from '../../money-reads.js';
import { lastPaidRevision } from '../last-paid-revision.js';

/** A payout, and to whom it is paid, as they are now. */
export interface PayeeRow {
  readonly payout: PayoutRecord;
  readonly name: string;
  /** The e-mail address to which the money is sent. */
  readonly recipient: string;
  /** The recipient has changed since the payout was made, or since the last one was completed. */
  readonly isChanged: boolean;
}

/** The row of a payout, or the id of one whose affiliate was deleted. */
export type RowOrMissing = PayeeRow | { readonly missing: string };

/**
 * Finds payouts and to whom they are paid, from their own streams and those of their affiliates.
 */
export class Payees {
  constructor(
    private readonly money: Pick<MoneyReads, 'find'>,
    private readonly commands: CommandHandler,
    private readonly account: AccountId,
  ) {}

  /** Reads the row of a payout; undefined if the payout has none of these statuses. */
  async rowOf(id: PayoutId, statuses: readonly PayoutStatus[]): Promise<RowOrMissing | undefined> {
    const payout = payoutRecord(
      (await this.commands.load(payoutDecider, streams.payout(id))).state,
    );
    if (payout === undefined || !statuses.includes(payout.status)) return undefined;
    const affiliate = await affiliateOf(this.commands, this.account, payout.affiliate_id);
    if (affiliate.kind !== 'present') return { missing: id };
    const { record, payeeRevision } = affiliate;
    const paidBefore = await lastPaidRevision(this.money, this.account, payout.affiliate_id);
    return {
      payout,
      name: record.name,
      recipient: recipientOf(record),
      isChanged:
        payeeRevision > payout.payee_revision ||
        (paidBefore !== undefined && payeeRevision > paidBefore),
    };
  }
}
