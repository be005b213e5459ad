import {
  type AccountId,
  type SealedAffiliateRecord,
  type ClaimedAppend,
  type ProgramId,
  type Quote,
  type QuotedSale,
} from '@refledger/contracts';
import { affiliateDecider, customerDecider, quoted, type ProgramState } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import { affiliateOf } from '../affiliates/affiliate-of.js';
import type { CommandHandler } from '../command-handler.js';
import { customerStream } from './first-sales.js';

/**
 * Quotes what sales would earn, from the same streams from which `ConversionCommands` decides. It
 * writes nothing, so it also leaves an unfinished claim as it is.
 */
export class Quotes {
  constructor(
    private readonly log: EventLog,
    private readonly commands: CommandHandler,
  ) {}

  async quote(
    account: AccountId,
    program_id: ProgramId,
    program: ProgramState,
    sale: QuotedSale,
  ): Promise<Quote> {
    const { affiliate_id, customer_id } = sale;
    const affiliate =
      affiliate_id === undefined
        ? affiliateDecider.initial
        : await affiliateOf(this.commands, account, affiliate_id);
    const firstOccurredAt =
      affiliate.kind === 'present' && customer_id !== undefined
        ? await this.firstOccurredAt(account, affiliate.record, customer_id)
        : null;
    const recordedAt = this.commands.instant();
    return quoted({ program_id, program, affiliate, firstOccurredAt, sale, recordedAt });
  }

  /**
   * When the customer's first sale occurred. That sale's claim may still be unfinished, but it
   * can't be void.
   */
  private async firstOccurredAt(
    account: AccountId,
    affiliate: SealedAffiliateRecord,
    customerId: string,
  ): Promise<string | null> {
    const stream = customerStream(account, affiliate.id, customerId);
    const { state } = await this.commands.load(customerDecider, stream);
    if (state.kind === 'free' || (await this.isVoid(state.data.append))) return null;
    return state.data.occurred_at;
  }

  /** Whether the conversion of a claim was recorded by another request. */
  private async isVoid({ stream, events: [wanted] }: ClaimedAppend): Promise<boolean> {
    for await (const [first] of this.log.readStream(stream, { to: 0 }))
      return first !== undefined && first.id !== wanted?.id;
    return false;
  }
}
