import {
  currencies,
  streams,
  type AccountId,
  type AffiliateId,
  type PayoutId,
} from '@refledger/contracts';
import type { CommandHandler } from '@refledger/application';
import { balanceIdOf, payoutDecider } from '@refledger/domain';
import type { BalanceReader } from '../balance-reader.js';

/** Finds the payouts of an affiliate that have not ended. */
export class OpenPayouts {
  constructor(
    private readonly reader: Pick<BalanceReader, 'load'>,
    private readonly commands: Pick<CommandHandler, 'load'>,
  ) {}

  /**
   * Returns the ids of at most `limit` payouts that are created or processing. Looks in the log for a balance in every currency, since a read model may lag behind.
   */
  async of(account: AccountId, affiliate: AffiliateId, limit: number): Promise<PayoutId[]> {
    const open: PayoutId[] = [];
    const codes = [...currencies];
    while (codes.length > 0 && open.length < limit) {
      const found = await Promise.all(
        codes.splice(0, concurrency).map(async (currency) => {
          const balance = await this.reader.load(balanceIdOf(account, affiliate, currency));
          return Object.keys(balance?.state.inFlight ?? {}) as PayoutId[];
        }),
      );
      for (const id of found.flat()) if (await this.isOpen(id)) open.push(id);
    }
    return open.slice(0, limit);
  }

  /** Whether a payout has not ended, although its balance may still have to be told. */
  private async isOpen(id: PayoutId): Promise<boolean> {
    const { state } = await this.commands.load(payoutDecider, streams.payout(id));
    return state.kind === 'none' || isUnfinished(state.record.status);
  }
}

const isUnfinished = (status: string): boolean => status === 'created' || status === 'processing';

/** How many balances are read at the same time. */
const concurrency = 16;
