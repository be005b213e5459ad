import { randomUUID } from 'node:crypto';
import { noCommission, streams, unreported } from '@refledger/contracts';
import type {
  AccountId,
  AffiliateId,
  ConversionEvent,
  ConversionId,
  DomainEvent,
  EventMetadata,
  Position,
  StreamName,
} from '@refledger/contracts';
import { encodeEvent, loadStream, type EventLog, type LoggedEvent } from '@refledger/event-log';
import { processorDecider, type ProcessorCommand } from '@refledger/domain';
import { postingName } from '../src/index.js';
import { allOf } from './embedded.js';

export interface SaleOptions {
  readonly id?: ConversionId;
  readonly amount?: number;
  readonly affiliate?: AffiliateId;
  readonly account?: AccountId;
  readonly at?: string;
  readonly payableOn?: string;
  readonly metadata?: Partial<EventMetadata>;
}

/** When a sale is recorded, unless specified otherwise. */
export const noon = '2026-01-31T12:00:00.000Z';
export const atNoon = (): number => Date.parse(noon);

/** Records an approved sale, for which a commission is owed, and returns its position. */
export const sell = (
  log: EventLog,
  {
    id: conversion_id = `conv_${randomUUID()}`,
    amount = 100,
    affiliate = 'aff_a',
    account = 'acct_1',
    at = noon,
    payableOn = '2026-03-02',
    metadata = {},
  }: SaleOptions = {},
): Promise<Position> => {
  const { metadata: _, ...details } = unreported;
  const event: ConversionEvent = {
    type: 'conversion.created',
    data: {
      conversion_id,
      affiliate_id: affiliate,
      program_id: 'prog_spring',
      sale_currency: 'USD',
      occurred_at: noon,
      payable_on: payableOn,
      ...details,
      basis: { reported_occurred_at: null, terms: null, first_occurred_at: null },
      after: {
        status: 'approved',
        sale_amount: 4950,
        refunded_amount: 0,
        commission_amount: amount,
        commission: noCommission,
        reason: null,
        metadata: {},
        payout_id: null,
      },
    },
  };
  const more = { account_id: account, recorded_at: at, ...metadata };
  return appendOne(log, streams.conversion(conversion_id), event, more);
};

/** Records an event of a conversion that no release can read. */
export const poison = (log: EventLog): Promise<Position> =>
  appendOne(
    log,
    streams.conversion(`conv_${randomUUID()}`),
    // a later release's event
    { type: 'conversion.poison', data: {} } as unknown as DomainEvent,
    { account_id: 'acct_1', recorded_at: noon },
  );

/** Appends one event to a new stream. */
export const appendOne = async (
  log: EventLog,
  stream: StreamName,
  event: DomainEvent,
  metadata: Pick<EventMetadata, 'account_id' | 'recorded_at'> & Partial<EventMetadata>,
): Promise<Position> => {
  const encoded = encodeEvent(event, randomUUID(), {
    actor: 'key_1',
    request_id: 'r',
    ...metadata,
  });
  return positionOf(await log.append(stream, [encoded], 'no stream'));
};

/** Records an operator's decision about a processor of the ledger. */
export const decide = async (
  log: EventLog,
  command:
    | Omit<Extract<ProcessorCommand, { type: 'resume' }>, 'processor'>
    | { readonly type: 'skip'; readonly event_id: string; readonly position: Position }
    | Omit<Extract<ProcessorCommand, { type: 'ignore_time' }>, 'processor'>,
  processor = postingName,
): Promise<Position> => {
  const stream = streams.processor(processor);
  const { state, revision } = await loadStream(log, processorDecider, stream);
  const decision: ProcessorCommand = { processor, ...command };
  const metadata = { account_id: null, actor: 'ops', request_id: 'r', recorded_at: noon };
  const events = processorDecider
    .decide(decision, state)
    .map((event) => encodeEvent(event, randomUUID(), metadata));
  return positionOf(await log.append(stream, events, revision ?? 'no stream'));
};

/** Takes the time of an event out of log time. */
export const ignoreTime = async (log: EventLog, position: Position): Promise<Position> => {
  const event = await log.eventAt(position);
  if (event === undefined) throw new Error(`there is no event at ${position}`);
  const { id: event_id, stream, revision, metadata } = event;
  const { recorded_at } = metadata;
  return decide(log, { type: 'ignore_time', event_id, position, stream, revision, recorded_at });
};

const positionOf = ({ position }: { readonly position: Position | undefined }): Position => {
  if (position === undefined) throw new Error('the log returned no position');
  return position;
};

/** What was posted, in the log's order. */
export const posted = async (log: EventLog): Promise<readonly PostedEntry[]> =>
  (await allOf(log)).filter(({ type }) => type === 'balance.posted').map(entryOf);

interface PostedEntry {
  readonly affiliate_id: string;
  readonly number: number;
  readonly amount: number;
  readonly posted_at: string;
}

// the decoding boundary: an entry has these
const entryOf = ({ data }: LoggedEvent): PostedEntry => data as PostedEntry;

/** The amounts of what was posted, in the log's order. */
export const amounts = async (log: EventLog): Promise<readonly number[]> =>
  (await posted(log)).map(({ amount }) => amount);
