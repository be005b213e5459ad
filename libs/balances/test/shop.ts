import {
  newId,
  streams,
  type AffiliateId,
  type ConversionId,
  type NewPayout,
  type PayoutId,
  type PayoutStatus,
  type UpdateConversion,
} from '@refledger/contracts';
import { CommandHandler, newContext } from '@refledger/application';
import { conversionDecider, conversionRecord } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { postToHead, paidStatusToHead } from './embedded.js';
import { payday, payee, Payer } from './payees.js';
import { sell } from './sell.js';

/** One affiliate's sales and payouts, on a log whose entries a read model shows. */
export class Shop {
  readonly conversions: ConversionId[] = [];
  readonly payouts: PayoutId[] = [];
  readonly affiliate: AffiliateId;
  private readonly commands: CommandHandler;
  private readonly payer: Payer;

  private constructor(
    affiliate: AffiliateId,
    private readonly log: EventLog,
    private readonly store: ReadStore,
  ) {
    this.affiliate = affiliate;
    this.commands = new CommandHandler(log, { now: () => payday });
    this.payer = new Payer(log, { settle: () => this.post(), commands: this.commands });
  }

  static async open(log: EventLog, store: ReadStore): Promise<Shop> {
    return new Shop(await payee(log), log, store);
  }

  post(): Promise<void> {
    return postToHead({ log: this.log, store: this.store, now: () => payday });
  }

  /** Follows the payouts to the end of the log. */
  trail(log = this.log, store = this.store): Promise<void> {
    return paidStatusToHead({ log, store, now: () => payday });
  }

  /** A sale that is approved immediately, and earns this commission. */
  async sell(amount: number): Promise<ConversionId> {
    const id: ConversionId = newId('conversion');
    await sell(this.log, { id, affiliate: this.affiliate, amount });
    this.conversions.push(id);
    return id;
  }

  async change(conversion_id: ConversionId, patch: UpdateConversion): Promise<void> {
    await this.commands.run({
      stream: streams.conversion(conversion_id),
      decider: conversionDecider,
      context: newContext({ accountId: 'acct_1', actor: 'key_1', requestId: 'r' }),
      command: { type: 'update', conversion_id, patch, inForce: null },
    });
  }

  /** Pays everything that is payable. */
  async pay(over: Partial<NewPayout> = {}): Promise<PayoutId> {
    const id = newId('payout');
    await this.payer.pay(id, this.affiliate, over);
    this.payouts.push(id);
    return id;
  }

  async turn(payout: PayoutId, status: Exclude<PayoutStatus, 'created'>): Promise<void> {
    await this.payer.update(payout, { status, ...(status === 'failed' && { reason: 'IBAN' }) });
  }

  async payCompleted(): Promise<PayoutId> {
    const id = await this.pay();
    await this.turn(id, 'completed');
    return id;
  }

  /** The payout that a conversion shows. */
  async shownBy(id: ConversionId): Promise<PayoutId | null | undefined> {
    const { state } = await this.commands.load(conversionDecider, streams.conversion(id));
    return conversionRecord(state)?.payout_id;
  }
}
