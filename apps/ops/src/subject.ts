import {
  aggregates,
  idPrefixes,
  isObject,
  keysOf,
  streamNamed,
  streamPrefix,
  streams,
  type AggregateKind,
  type AggregateSpec,
  type IdKind,
  type StreamName,
} from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import { processors } from './arguments.js';
import { UsageError } from './exit-codes.js';

/**
 * The events about a record: whole streams, or the matching events in all streams with a prefix.
 */
export interface Subject {
  readonly prefix: StreamName;
  /**
   * The whole streams, in order, up to the first one without events. Undefined if the events are
   * spread over all streams with the prefix.
   */
  readonly streams?: () => Iterable<StreamName>;
  matches(event: LoggedEvent): boolean;
  /** Further streams about the same record. */
  readonly also: readonly StreamName[];
  /** The account in which it is looked up; undefined if no account was needed or given. */
  readonly account?: string | undefined;
}

/**
 * The subject that an operator names by an id, a processor's name or a stream's name (with or
 * without `refledger.`). Throws `UsageError`.
 */
export const subjectOf = (text: string, account?: string): Subject => {
  const id = keysOf(idPrefixes).find((kind) => text.startsWith(idPrefixes[kind]));
  const subject = id && (streamOfId(id, text, account) ?? membersOfStream(id, text, account));
  return subject ?? named(text);
};

const specs: Readonly<Record<AggregateKind, AggregateSpec>> = aggregates;
const kinds = keysOf(aggregates);
/** Matches the names of streams of the kinds that have more than one stream. */
const streamOf = new RegExp(
  `^(${kinds.filter((kind) => specs[kind].stream.length > 0).join('|')})-.`,
);

/**
 * The streams of the aggregate with this id, and the streams of other aggregates that share the id.
 */
const streamOfId = (id: IdKind, text: string, account?: string): Subject | undefined => {
  const kind = kinds.find((kind) => kind === id);
  if (kind === undefined) return undefined;
  const { stream: parts } = specs[kind];
  if (parts.length > 1 && parts[0] !== 'account') return chapters(streamNamed(kind, [text, '']));
  if (parts.length > 1) {
    const owner = accountOf(text, account);
    return { ...stream(streamNamed(kind, [owner, text])), account: owner };
  }
  return stream(
    streamNamed(kind, [text]),
    kinds
      .filter((other) => other !== kind && specs[other].stream.join() === id)
      .map((other) => streamNamed(other, [text])),
  );
};

/** The events about one of the members that share a stream. */
const membersOfStream = (id: IdKind, text: string, account?: string): Subject | undefined => {
  for (const kind of kinds) {
    const field = specs[kind].members?.[id];
    if (field !== undefined)
      return {
        ...subjectByField(streamNamed(kind, account === undefined ? [] : [account]), field, text),
        account,
      };
  }
  return undefined;
};

const named = (text: string): Subject => {
  if (Object.hasOwn(processors, text)) return stream(streams.processor(text));
  const name = text.startsWith(streamPrefix) ? text.slice(streamPrefix.length) : text;
  if (name === 'log' || streamOf.test(name)) return stream(`${streamPrefix}${name}`);
  throw new UsageError(
    `${JSON.stringify(text)} does not name a stream. Provide an id (${streamIds.join(' ')}), a processor (${Object.keys(processors).join(', ')}) or a stream's name.`,
  );
};

/** The ids that name a stream or something within one, as prefixes. */
const streamIds = keysOf(idPrefixes)
  .filter((id) => kinds.some((kind) => kind === id || specs[kind].members?.[id] !== undefined))
  .map((id) => `${idPrefixes[id]}…`);

const stream = (name: StreamName, also: readonly StreamName[] = []): Subject => ({
  prefix: name,
  streams: () => [name],
  matches: (event) => event.stream === name,
  also,
});

/** A record whose events are in streams that are numbered from 0. */
const chapters = (prefix: StreamName): Subject => ({
  prefix,
  *streams() {
    for (let chapter = 0; ; chapter++) yield `${prefix}${chapter}`;
  },
  matches: (event) => event.stream.startsWith(prefix),
  also: [],
});

const subjectByField = (prefix: StreamName, field: string, id: string): Subject => ({
  prefix,
  matches: ({ data }) => isObject(data) && data[field] === id,
  also: [],
});

const accountOf = (program: string, account: string | undefined): string => {
  if (account === undefined)
    throw new UsageError(
      `several accounts may have a program ${program}. Name one with --account acct_….`,
    );
  return account;
};
