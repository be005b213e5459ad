import { Controller, Inject } from '@nestjs/common';
import {
  derivedId,
  newId,
  normaliseCurrency,
  streams,
  type ConversionId,
  type ConversionRecord,
} from '@refledger/contracts';
import {
  affiliateDecider,
  conversionDecider,
  conversionRecord,
  type AffiliateState,
  type ConversionCommand,
  type ConversionState,
} from '@refledger/domain';
import { CommandHandler, type Loaded } from '@refledger/event-log';
import { conversionsJsonFromDocuments, conversionsProjection } from '@refledger/projections';
import { Consistency } from '../consistency.js';
import type { Answer, Call } from '../http/call.js';
import { requireRevision } from '../http/if-match.js';
import { Operation } from '../http/operation.decorator.js';
import { equals } from '../lists/list-query.js';
import { ReadModels } from '../read-models.js';
import { ofAccount, recordAnswer, requireRecord } from '../records.js';

@Controller()
export class ConversionsController {
  constructor(
    @Inject(CommandHandler) private readonly commands: CommandHandler,
    @Inject(Consistency) private readonly consistency: Consistency,
    @Inject(ReadModels) private readonly readModels: ReadModels,
  ) {}

  @Operation('listConversions')
  list(call: Call<'listConversions'>): Promise<Answer> {
    const { affiliate_id, program_id, status, external_transaction_id, sale_currency } = call.query;
    const { accountId } = call.caller;
    const filters = equals({
      account_id: accountId,
      affiliate_id,
      program_id,
      status,
      sale_currency: sale_currency && normaliseCurrency(sale_currency),
    });
    // A transaction id belongs to at most one conversion: the one with this derived id.
    const id =
      external_transaction_id === undefined
        ? undefined
        : this.idOf(accountId, external_transaction_id, undefined);
    return this.readModels.list(conversionsProjection, call, {
      filters,
      id,
      recordsJson: conversionsJsonFromDocuments,
    });
  }

  @Operation('createConversion')
  async create({
    caller,
    body,
    context,
    idempotencyKey,
  }: Call<'createConversion'>): Promise<Answer> {
    const id = this.idOf(caller.accountId, body.external_transaction_id, idempotencyKey);
    const outcome = await this.commands.run({
      stream: streams.conversion(id),
      decider: conversionDecider,
      context,
      isLikelyNew: true,
      command: async (existing): Promise<ConversionCommand> => ({
        type: 'record',
        conversion_id: id,
        affiliate_id: body.affiliate_id,
        sale_amount: body.sale_amount,
        sale_currency: body.sale_currency,
        external_transaction_id: body.external_transaction_id ?? null,
        metadata: body.metadata ?? {},
        // Compare an existing record before checking any rule about the affiliate.
        affiliate:
          existing.kind === 'none'
            ? await this.affiliate(body.affiliate_id, caller.accountId)
            : affiliateDecider.initial,
      }),
    });
    this.consistency.wrote(caller.accountId, outcome.position);
    return recordAnswer(
      this.record(id, outcome, caller.accountId),
      outcome,
      outcome.events.length > 0 ? 'created' : 'replayed',
    );
  }

  @Operation('getConversion')
  async get({ caller, id, minPosition }: Call<'getConversion'>): Promise<Answer> {
    if (minPosition !== undefined) await this.consistency.settleLog(caller, minPosition);
    const loaded = await this.commands.load(
      conversionDecider,
      streams.conversion(id as ConversionId),
    );
    return recordAnswer(this.record(id, loaded, caller.accountId), loaded, 'read', minPosition);
  }

  @Operation('updateConversion')
  async update({ caller, id, body, context, ifMatch }: Call<'updateConversion'>): Promise<Answer> {
    const outcome = await this.commands.run({
      stream: streams.conversion(id as ConversionId),
      decider: conversionDecider,
      context,
      precondition: (loaded) => {
        this.record(id, loaded, caller.accountId);
        requireRevision(ifMatch, loaded.revision);
      },
      command: { type: 'update', conversion_id: id as ConversionId, patch: body },
    });
    this.consistency.wrote(caller.accountId, outcome.position);
    return recordAnswer(this.record(id, outcome, caller.accountId), outcome, 'changed');
  }

  /**
   * Derives the id from the values that must be unique within the account. So uniqueness needs no
   * table, and holds permanently and under concurrency.
   */
  private idOf(
    account: string,
    transactionId: string | undefined,
    idempotencyKey: string | undefined,
  ): ConversionId {
    if (transactionId !== undefined)
      return derivedId('conversion', account, 'external_transaction_id', transactionId);
    return idempotencyKey === undefined
      ? newId('conversion')
      : derivedId('conversion', account, 'idempotency_key', idempotencyKey);
  }

  private async affiliate(id: string, account: string): Promise<AffiliateState> {
    const loaded = await this.commands.load(
      affiliateDecider,
      streams.affiliate(id as `aff_${string}`),
    );
    return ofAccount(loaded, account) ? loaded.state : affiliateDecider.initial;
  }

  private record(id: string, loaded: Loaded<ConversionState>, account: string): ConversionRecord {
    return requireRecord(
      'conversion',
      id,
      ofAccount(loaded, account) ? conversionRecord(loaded.state) : undefined,
    );
  }
}
