import { Controller } from '@nestjs/common';
import { conversionList, streams, type ConversionId } from '@refledger/contracts';
import { conversionDecider, conversionRecord } from '@refledger/domain';
import { ConversionCommands } from '@refledger/application';
import { conversionsProjection } from '@refledger/projections';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { namesRevision } from '../http/request/if-match.js';
import { newRecordId } from '../records/new-record-id.js';
import { Records, RecordsParts, type RecordsOf } from '../records/records.js';
import { SalesWithoutTerms } from './sales-without-terms.js';

@Controller()
export class ConversionsController {
  private readonly records: RecordsOf<typeof conversions>;

  constructor(
    parts: RecordsParts,
    private readonly commands: ConversionCommands,
    private readonly withoutTerms: SalesWithoutTerms,
  ) {
    this.records = new Records(conversions, parts);
  }

  @Operation('listConversions')
  list(call: Call<'listConversions'>): Promise<ApiResponse> {
    const { external_transaction_id } = call.query;
    // A transaction id belongs to at most one conversion: the one with this derived id.
    const id =
      external_transaction_id === undefined
        ? undefined
        : newRecordId('conversion', call.caller.accountId, { external_transaction_id });
    return this.records.list(call, { id });
  }

  @Operation('createConversion')
  async create(call: Call<'createConversion'>): Promise<ApiResponse> {
    const { body, caller, context, idempotencyKey: idempotency_key } = call;
    const { external_transaction_id } = body;
    const unique = { external_transaction_id, idempotency_key };
    const id = newRecordId('conversion', caller.accountId, unique);
    const outcome = await this.commands.record(id, body, context);
    this.withoutTerms.record(outcome.events, context);
    return this.records.created(call, id, outcome);
  }

  @Operation('getConversion')
  get(call: Call<'getConversion'>): Promise<ApiResponse> {
    return this.records.get(call);
  }

  @Operation('getConversionHistory')
  history(call: Call<'getConversionHistory'>): Promise<ApiResponse> {
    return this.records.history(call);
  }

  @Operation('updateConversion')
  update(call: Call<'updateConversion'>): Promise<ApiResponse> {
    const { id: conversion_id, body: patch, context, ifMatch } = call;
    const change = { conversion_id, patch, namesRevision: namesRevision(ifMatch) };
    return this.records.update(call, (existing) => this.commands.change(change, existing, context));
  }
}

const conversions = {
  kind: 'conversion',
  stream: (id: ConversionId) => streams.conversion(id),
  decider: conversionDecider,
  recordOf: conversionRecord,
  projection: conversionsProjection,
  listSpec: conversionList,
} as const;
