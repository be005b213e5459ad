import { isDeepStrictEqual } from 'node:util';
import type { Observed } from './observed.js';
import { possibleLives, type Request } from './requests.js';

/** The requests about one affiliate since it was observed before. */
export interface SentRequests {
  readonly acknowledged: readonly Request[];
  readonly refused: readonly Request[];
  /** Without a response; those of an earlier process may be finished now. */
  readonly unknown: readonly Request[];
}

/** The laws that one affiliate breaks, after these requests. */
export const brokenLaws = (before: Observed, after: Observed, sent: SentRequests): string[] => {
  const { acknowledged, refused, unknown } = sent;
  const possible = possibleLives(before.life, acknowledged, unknown);
  const mayChange = acknowledged.length + unknown.length > 0;
  const laws = {
    'its life follows from the requests': possible.some((life) =>
      isDeepStrictEqual(life, after.life),
    ),
    'no event vanishes or changes': isDeepStrictEqual(
      after.events.slice(0, before.events.length),
      before.events,
    ),
    'without a request it has no new event':
      mayChange || after.events.length === before.events.length,
    'nothing follows its erasure': after.erasedAt < 0 || after.erasedAt === after.events.length - 1,
    'its key stays, or is destroyed because it is erased': isKeyKept(before, after),
    'without a request its row stays, or is destroyed':
      mayChange ||
      refused.length > 0 ||
      after.row?.kind === 'erased' ||
      isDeepStrictEqual(after.row, before.row),
    'an acknowledged erasure is finished':
      after.row?.kind === 'erased' || acknowledged.every(({ type }) => type !== 'erase'),
  };
  return Object.entries(laws).flatMap(([law, holds]) => (holds ? [] : law));
};

const isKeyKept = ({ row: before }: Observed, { row, events, erasedAt }: Observed): boolean => {
  switch (before?.kind) {
    case 'erased':
      return isDeepStrictEqual(row, before);
    case 'key':
      if (row?.kind === 'key') return row.key === before.key;
      return row?.kind === 'erased' && row.eventId === events[erasedAt];
    case undefined:
      return row?.kind !== 'erased' || row.eventId === events[erasedAt];
  }
};

/** The laws that affiliates break together. */
export const brokenTogether = (observed: readonly Observed[]): string[] => {
  const emails = observed.flatMap(({ life }) => (life.kind === 'exists' ? life.email : []));
  return new Set(emails).size === emails.length ? [] : ['each email belongs to one affiliate'];
};

/** The laws that an affiliate breaks after the ledger has handled every event. */
export const brokenAtTheEnd = ({ row, erasedAt }: Observed): string[] =>
  (row?.kind === 'erased') === erasedAt >= 0 ? [] : ['its key is destroyed if it is erased'];

/** What a failure shows of an affiliate. */
export const lineOf = ({ life, events, row }: Observed): string =>
  `${JSON.stringify(life)}, ${events.length} events, row: ${row?.kind ?? 'none'}`;
