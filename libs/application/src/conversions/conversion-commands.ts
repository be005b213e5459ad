import {
  isId,
  streams,
  type AccountId,
  type ConversionEvent,
  type ConversionId,
  type ReportedSale,
} from '@refledger/contracts';
import {
  affiliateDecider,
  conversionDecider,
  programDecider,
  type ConversionState,
  type RecordSale,
} from '@refledger/domain';
import type { AccountContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';
import type { Outcome } from '../outcome.js';

/** Records sales. A sale is decided on what the streams of its affiliate and program say now. */
export class ConversionCommands {
  constructor(private readonly commands: CommandHandler) {}

  /** Records a sale as the conversion with this id, or finds that it was recorded before. */
  record(
    conversion_id: ConversionId,
    sale: ReportedSale,
    context: AccountContext,
  ): Promise<Outcome<ConversionState, ConversionEvent>> {
    return this.commands.run({
      stream: streams.conversion(conversion_id),
      decider: conversionDecider,
      context,
      isLikelyNew: true,
      command: async (existing, recordedAt): Promise<RecordSale> => ({
        type: 'record',
        conversion_id,
        // a sale that was recorded before is compared before any rule about the affiliate
        ...(existing.kind === 'none'
          ? await this.parties(sale.affiliate_id, context.accountId)
          : noParties),
        firstOccurredAt: null,
        sale,
        recordedAt,
      }),
    });
  }

  /** The affiliate that a sale names, and its program. */
  private async parties(id: string, account: AccountId): Promise<Parties> {
    if (!isId('affiliate', id)) return noParties;
    const loaded = await this.commands.load(affiliateDecider, streams.affiliate(id));
    const affiliate = loaded.state;
    if (loaded.accountId !== account || affiliate.kind === 'none') return noParties;
    const stream = streams.program(account, affiliate.record.program_id);
    return { affiliate, program: (await this.commands.load(programDecider, stream)).state };
  }
}

type Parties = Pick<RecordSale, 'affiliate' | 'program'>;
const noParties: Parties = {
  affiliate: affiliateDecider.initial,
  program: programDecider.initial,
};
