import {
  streams,
  type ConversionEvent,
  type ConversionId,
  type ReportedSale,
  type TermsInForce,
} from '@refledger/contracts';
import {
  affiliateDecider,
  conversionDecider,
  currentTerms,
  programDecider,
  type ConversionCommand,
  type ConversionState,
  type RecordSale,
} from '@refledger/domain';
import { affiliateOf } from '../affiliates/affiliate-of.js';
import type { AccountContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';
import type { Outcome } from '../outcome.js';
import { FirstSales } from './first-sales.js';

/**
 * Records and changes sales. A sale is decided from what the streams of its affiliate, program and
 * customer say now.
 */
export class ConversionCommands {
  private readonly firstSales: FirstSales;

  constructor(private readonly commands: CommandHandler) {
    this.firstSales = new FirstSales(commands);
  }

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
      command: async (existing, recordedAt): Promise<RecordSale | undefined> => {
        // a sale that is already recorded is compared before any rule about other records applies
        const basis =
          existing.kind === 'none' ? await this.basisOf(conversion_id, sale, context) : noBasis;
        return basis && { type: 'record', conversion_id, ...basis, sale, recordedAt };
      },
      // a claim must not be taken for a conversion that may exist: its stream is read first
      ...(sale.customer_id === undefined
        ? { isLikelyNew: true }
        : {
            appender: {
              append: (decision) => this.firstSales.append(conversion_id, decision, context),
              maxAttempts: 20,
              recordName: `Conversion ${conversion_id}`,
            },
          }),
    });
  }

  /** The command that changes a conversion that is in this state. */
  async change(
    change: ChangeOfSale,
    existing: ConversionState,
    context: AccountContext,
  ): Promise<ConversionCommand> {
    const inForce =
      change.patch.commission === undefined ? null : await this.termsInForce(existing, context);
    return { type: 'update', ...change, inForce };
  }

  /** The terms that a new sale of this affiliate would take. */
  private async termsInForce(
    existing: ConversionState,
    { accountId }: AccountContext,
  ): Promise<TermsInForce | null> {
    if (existing.kind === 'none') return null;
    const { affiliate_id, program_id } = existing.record;
    const affiliate = await affiliateOf(this.commands, accountId, affiliate_id);
    const { state } = await this.commands.load(
      programDecider,
      streams.program(accountId, program_id),
    );
    // what a deleted affiliate is owed stays owed, and so does the deal that was made with it
    return currentTerms(state, affiliate.kind === 'none' ? undefined : affiliate.record);
  }

  /**
   * The affiliate that a sale names, its program, and the customer's first sale. Undefined if the
   * sale itself is that first sale: an earlier request claimed it, and now it is recorded.
   */
  private async basisOf(
    conversion_id: ConversionId,
    { affiliate_id, customer_id }: ReportedSale,
    { accountId }: AccountContext,
  ): Promise<Basis | undefined> {
    const affiliate = await affiliateOf(this.commands, accountId, affiliate_id);
    if (affiliate.kind === 'none') return noBasis;
    const { id, program_id } = affiliate.record;
    const first =
      customer_id === undefined
        ? undefined
        : await this.firstSales.find(accountId, id, customer_id);
    if (first?.conversion_id === conversion_id) return undefined;
    const program = await this.commands.load(
      programDecider,
      streams.program(accountId, program_id),
    );
    return {
      affiliate,
      program: program.state,
      firstOccurredAt: first?.occurred_at ?? null,
    };
  }
}

/** A change without the terms in force, which only some changes need. */
type ChangeOfSale = Omit<Extract<ConversionCommand, { type: 'update' }>, 'type' | 'inForce'>;
type Basis = Pick<RecordSale, 'affiliate' | 'program' | 'firstOccurredAt'>;
const noBasis: Basis = {
  affiliate: affiliateDecider.initial,
  program: programDecider.initial,
  firstOccurredAt: null,
};
