import { Controller } from '@nestjs/common';
import { conversionList, derivedId, newId, streams, type ConversionId } from '@refledger/contracts';
import { conversionDecider, conversionRecord } from '@refledger/domain';
import { Consistency, ConversionCommands } from '@refledger/application';
import { conversionsProjection } from '@refledger/projections';
import { ReadModels } from '@refledger/queries';
import { RecordReads, type ReadsOfKind } from '../history/record-reads.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { listPage } from '../lists/list-page.js';
import { filtersOf } from '../lists/list-query.js';
import { namesRevision } from '../http/request/if-match.js';
import { RecordChanges } from '../record-changes.js';
import { recordResponse, recordReader } from '../records.js';
import { SalesWithoutTerms } from './sales-without-terms.js';

/** The operations on conversions. */
@Controller()
export class ConversionsController {
  private readonly reads: ReadsOfKind<ConversionId>;

  constructor(
    private readonly changes: RecordChanges,
    private readonly conversions: ConversionCommands,
    private readonly consistency: Consistency,
    private readonly readModels: ReadModels,
    private readonly withoutTerms: SalesWithoutTerms,
    recordReads: RecordReads,
  ) {
    this.reads = recordReads.of(conversionRecords);
  }

  @Operation('listConversions')
  list(call: Call<'listConversions'>): Promise<ApiResponse> {
    const { external_transaction_id } = call.query;
    const { accountId } = call.caller;
    // A transaction id belongs to at most one conversion: the one with this derived id.
    const id =
      external_transaction_id === undefined
        ? undefined
        : this.idOf(accountId, external_transaction_id, undefined);
    const filters = filtersOf(conversionList, accountId, call.query);
    return listPage(this.readModels, conversionsProjection, call, { filters, id });
  }

  @Operation('createConversion')
  async create({
    caller,
    body,
    context,
    idempotencyKey,
  }: Call<'createConversion'>): Promise<ApiResponse> {
    const id = this.idOf(caller.accountId, body.external_transaction_id, idempotencyKey);
    const outcome = await this.conversions.record(id, body, context);
    this.consistency.wrote(caller.accountId, outcome.position);
    this.withoutTerms.note(outcome.events, context);
    return recordResponse(
      record(id, outcome, caller.accountId),
      outcome,
      outcome.events.length > 0 ? 'created' : 'replayed',
    );
  }

  @Operation('getConversion')
  get(call: Call<'getConversion'>): Promise<ApiResponse> {
    return this.reads.get(call);
  }

  @Operation('getConversionHistory')
  history(call: Call<'getConversionHistory'>): Promise<ApiResponse> {
    return this.reads.history(call);
  }

  @Operation('updateConversion')
  update(call: Call<'updateConversion'>): Promise<ApiResponse> {
    const { id: conversion_id, body: patch, context, ifMatch } = call;
    const change = { conversion_id, patch, namesRevision: namesRevision(ifMatch) };
    return this.changes.change(conversionRecords, call, (existing) =>
      this.conversions.change(change, existing, context),
    );
  }

  /**
   * Derives the id from the values that must be unique within the account. Uniqueness therefore
   * needs no table, and holds permanently and under concurrency.
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
}

const record = recordReader('conversion', conversionRecord);

/** How conversions are read and changed. */
const conversionRecords = {
  kind: 'conversion',
  stream: (id: ConversionId) => streams.conversion(id),
  decider: conversionDecider,
  recordOf: conversionRecord,
} as const;
