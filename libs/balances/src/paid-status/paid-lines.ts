import type { AccountId, BalanceId, ConversionId, EntryRecord, LogId } from '@refledger/contracts';
import { entriesProjection } from '@refledger/projections';
import type { Document, Query, ReadStore } from '@refledger/read-store';
import type { HeldRange, HeldRanges } from './held-ranges.js';

/**
 * Reads the lines of payouts from the read model of entries, which must have reached the payout:
 * its lines are then complete, and never change.
 */
export class PaidLines {
  constructor(
    private readonly store: Pick<ReadStore, 'find'>,
    private readonly logId: LogId,
  ) {}

  /** The commissions among the lines, in the order of their days and numbers. */
  async *commissions(balance_id: BalanceId, held: HeldRanges): AsyncGenerator<EntryRecord> {
    for (const range of held.all)
      for await (const entry of this.linesIn(balance_id, range))
        if (entry.kind === 'commission') yield entry;
  }

  /**
   * The lines of one conversion, in the order of their numbers. Its entries are found by an index,
   * so that a payout with any number of lines needs no more memory than one with a few.
   */
  async ofConversion(
    account_id: AccountId,
    conversion_id: ConversionId,
    held: HeldRanges,
  ): Promise<readonly EntryRecord[]> {
    const where = [
      { field: 'account_id', equals: account_id },
      { field: 'conversion_id', equals: conversion_id },
    ];
    const order = { fields: ['position'], descending: false };
    const lines: EntryRecord[] = [];
    let after: Pick<Query, 'after'> = {};
    for (;;) {
      const found = await this.find({ where, order, limit: pageSize, ...after });
      const entries = found.map(entryIn);
      lines.push(...entries.filter((entry) => held.holds(entry)));
      const last = found.at(-1)?.['position'];
      if (found.length < pageSize || typeof last !== 'string') return lines;
      after = { after: [last] };
    }
  }

  private async *linesIn(
    balance_id: BalanceId,
    { payable_on, from, to }: HeldRange,
  ): AsyncGenerator<EntryRecord> {
    for (let after = from - 1; ;) {
      const found = await this.find({
        where: [
          { field: 'balance_id', equals: balance_id },
          { field: 'payable_on', equals: payable_on },
          { field: 'number', after, before: to + 1 },
        ],
        order: { fields: ['number'], descending: false },
        limit: pageSize,
      });
      const entries = found.map(entryIn);
      yield* entries;
      const last = entries.at(-1);
      if (entries.length < pageSize || last === undefined) return;
      after = last.number;
    }
  }

  private async find(query: Query): Promise<readonly Document[]> {
    return (await this.store.find(entriesProjection, this.logId, 'entries', query)).value;
  }
}

const pageSize = 200;

/** A decoding boundary: the projection wrote the document. */
const entryIn = ({ record }: Document): EntryRecord => record as unknown as EntryRecord;
