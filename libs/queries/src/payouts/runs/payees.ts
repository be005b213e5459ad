import {
  streams,
  type AccountId,
  type PayoutId,
  type PayoutStatus,
  type PayoutRecord,
  type SealedAffiliateRecord,
} from '@refledger/contracts';
import { affiliateOf, type CommandHandler } from '@refledger/application';
import { payoutDecider, payoutRecord, recipientOf } from '@refledger/domain';
import type { PersonalData } from '@refledger/personal-data';
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
export type RowOrMissing = PayeeRow | MissingRow;

/** The same while the affiliate is sealed. */
export type SealedRowOrMissing =
  | (Pick<PayeeRow, 'payout' | 'isChanged'> & { readonly affiliate: SealedAffiliateRecord })
  | MissingRow;

interface MissingRow {
  readonly missing: string;
}

/** Opens the affiliates of rows, with their keys in one call. */
export const openRows = async (
  personalData: Pick<PersonalData, 'openAffiliates'>,
  rows: readonly SealedRowOrMissing[],
): Promise<readonly RowOrMissing[]> => {
  const sealed = rows.flatMap((row) => ('missing' in row ? [] : row.affiliate));
  const affiliates = (await personalData.openAffiliates(sealed)).values();
  return rows.flatMap((row): readonly RowOrMissing[] => {
    if ('missing' in row) return [row];
    const { value: affiliate } = affiliates.next();
    if (affiliate === undefined) return [];
    const { payout, isChanged } = row;
    const { name, email, payout_email } = affiliate;
    // it was erased since its row was read
    if (name === null || email === null) return [{ missing: payout.id }];
    return [{ payout, name, recipient: recipientOf({ email, payout_email }), isChanged }];
  });
};

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
  async rowOf(
    id: PayoutId,
    statuses: readonly PayoutStatus[],
  ): Promise<SealedRowOrMissing | undefined> {
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
      affiliate: record,
      isChanged:
        payeeRevision > payout.payee_revision ||
        (paidBefore !== undefined && payeeRevision > paidBefore),
    };
  }
}
