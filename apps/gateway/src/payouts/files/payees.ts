import type { AccountId, PayoutRecord } from '@refledger/contracts';
import { affiliateOf, type CommandHandler } from '@refledger/application';
import { recipientOf } from '@refledger/domain';
import type { MoneyReads } from '../../balances/money-reads.js';
import { decimalAmount } from '../../csv/decimal-amount.js';
import { lastPaidRevision } from '../last-paid-revision.js';
import type { PayeeRow } from './payout-template.js';

/** Finds to whom payouts are paid, from the streams of their affiliates. */
export class Payees {
  constructor(
    private readonly money: Pick<MoneyReads, 'find'>,
    private readonly commands: CommandHandler,
    private readonly account: AccountId,
  ) {}

  /** Returns the row of a payout; undefined if its affiliate was deleted. */
  async rowOf(payout: PayoutRecord): Promise<PayeeRow | undefined> {
    const affiliate = await affiliateOf(this.commands, this.account, payout.affiliate_id);
    if (affiliate.kind !== 'present') return undefined;
    const { record, payeeRevision } = affiliate;
    const paidBefore = await lastPaidRevision(this.money, this.account, payout.affiliate_id);
    return {
      payout,
      name: record.name,
      recipient: recipientOf(record),
      amount: decimalAmount(BigInt(payout.amount), payout.currency),
      isChanged:
        payeeRevision > payout.payee_revision ||
        (paidBefore !== undefined && payeeRevision > paidBefore),
    };
  }
}
