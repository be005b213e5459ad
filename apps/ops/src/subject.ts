import {
  idPrefixes,
  streamPrefix,
  streams,
  type AccountId,
  type AffiliateId,
  type ConversionId,
  type ProgramId,
  type StreamName,
} from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import { UsageError } from './exit-codes.js';
import { processors } from './processors.js';

/**
 * The events that tell about a record: a whole stream, or the matching events in all streams with a
 * prefix.
 */
export interface Subject {
  readonly prefix: StreamName;
  readonly isWhole: boolean;
  matches(event: LoggedEvent): boolean;
  /** Further streams about the same record. */
  readonly also: readonly StreamName[];
}

/**
 * The subject that an operator names by an id, a processor's name or a stream's name (with or
 * without `refledger.`). Throws `UsageError`.
 */
export const subjectOf = (text: string, account?: string): Subject => {
  const [kind] = Object.entries(idPrefixes).find(([, prefix]) => text.startsWith(prefix)) ?? [];
  switch (kind) {
    case 'conversion':
      return stream(streams.conversion(text as ConversionId));
    case 'affiliate':
      return stream(streams.affiliate(text as AffiliateId));
    case 'account':
      return stream(streams.account(text as AccountId), [
        streams.keys(text as AccountId),
        streams.webhooks(text as AccountId),
      ]);
    case 'program':
      return stream(streams.program(accountOf(text, account), text as ProgramId));
    case 'endpoint':
      return within(
        account === undefined ? streams.allWebhooks : streams.webhooks(account as AccountId),
        'endpoint_id',
        text,
      );
    case 'key':
      return within(
        account === undefined ? streams.allKeys : streams.keys(account as AccountId),
        'key_id',
        text,
      );
    case undefined:
    default:
      return named(text);
  }
};

const named = (text: string): Subject => {
  if (Object.hasOwn(processors, text)) return stream(streams.processor(text));
  const name = text.startsWith(streamPrefix) ? text.slice(streamPrefix.length) : text;
  if (
    name === 'log' ||
    /^(account|keys|program|affiliate|claim|conversion|webhooks|processor)-./.test(name)
  )
    return stream(`${streamPrefix}${name}`);
  throw new UsageError(
    `${JSON.stringify(text)} names nothing that has a stream: give an id (${streamIds}), a processor (${Object.keys(processors).join(', ')}) or a stream's name`,
  );
};

const streamIds = 'conv_… aff_… acct_… prog_… whk_… key_…';

const stream = (name: StreamName, also: readonly StreamName[] = []): Subject => ({
  prefix: name,
  isWhole: true,
  matches: (event) => event.stream === name,
  also,
});

const within = (prefix: StreamName, field: 'endpoint_id' | 'key_id', id: string): Subject => ({
  prefix,
  isWhole: false,
  matches: ({ data }) =>
    typeof data === 'object' && data !== null && (data as Record<string, unknown>)[field] === id,
  also: [],
});

const accountOf = (program: string, account: string | undefined): AccountId => {
  if (account === undefined)
    throw new UsageError(
      `${program} may be a program of several accounts: name one with --account acct_…`,
    );
  return account as AccountId;
};
