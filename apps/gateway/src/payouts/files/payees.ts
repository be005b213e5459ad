import type { AccountId, PayoutRecord } from '@refledger/contracts';
import { affiliateOf, type CommandHandler } from '@refledger/application';
import { recipientOf } from '@refledger/domain';
import { payoutsProjection } from '@refledger/projections';
import type { MoneyReads } from '../../balances/money-reads.js';
import { decimalAmount } from '../../csv/decimal-amount.js';
import { equals } from '../../lists/list-query.js';
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
    const paidBefore = await this.lastPaidRevision(payout);
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

  /** The revision of the recipient of the affiliate's last completed payout. */
  private async lastPaidRevision({ affiliate_id }: PayoutRecord): Promise<number | undefined> {
    const { value } = await this.money.find(payoutsProjection, {
      where: equals({ account_id: this.account, affiliate_id, status: 'completed' }),
      order: { fields: ['completed_at', 'id'], descending: true },
      limit: 1,
    });
    // a decoding boundary: the projection wrote the records that its documents hold
    return (value[0]?.record as PayoutRecord | undefined)?.payee_revision;
  }
}
