export interface ProposedRecord {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** `any` and `exists` are the protocol's; -1 stands for no stream. */
export type Expected = number | 'any' | 'exists';

export interface Append {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly ProposedRecord[];
}

export interface StreamState {
  readonly last: number;
  /** The first revision that is left. */
  readonly first: number;
  readonly isDeleted: boolean;
}

export type AppendCheck =
  | { readonly kind: 'append'; readonly after: number; readonly recreates: boolean }
  | { readonly kind: 'appended'; readonly revision: number; readonly position: number }
  | { readonly kind: 'repeated'; readonly revision: number; readonly position?: number | undefined }
  | { readonly kind: 'wrong_expected_version'; readonly actual: number }
  | { readonly kind: 'stream_deleted' }
  /** The same append is not committed yet, or never will be. */
  | { readonly kind: 'timed_out' }
  /** Begins as a repeat and goes on otherwise. */
  | { readonly kind: 'invalid_transaction' };

/** What became of an append. */
export type AppendResult = Exclude<AppendCheck, { readonly kind: 'append' }>;

/** The revision of a tombstone; the server's own, 2^63 - 1, is more than a number of JavaScript's can hold. */
export const deletedRevision = Number.MAX_SAFE_INTEGER;

/** What is known of the stream's events by id. */
interface KnownEvents {
  readonly idAt: (revision: number) => string | undefined;
  readonly revisionSeen: (id: string) => number | undefined;
}

/** What the server decides about an append, in the order in which it decides it (its `IndexWriter.CheckCommit`). */
export const checkAppend = (
  { expected, events }: Append,
  stream: StreamState,
  known: KnownEvents,
): AppendCheck => {
  const { last, isDeleted } = stream;
  if (last === deletedRevision) return { kind: 'stream_deleted' };
  switch (expected) {
    case 'exists':
      if (isDeleted) return { kind: 'stream_deleted' };
      if (last < 0) return { kind: 'wrong_expected_version', actual: last };
      return checkByIds(events, stream, known);
    case 'any':
      return checkByIds(events, stream, known);
    default:
      return checkAtRevision(expected, events, stream, known);
  }
};

/** Where no revision is expected, ids alone tell a repeat. */
const checkByIds = (
  events: readonly ProposedRecord[],
  { last, isDeleted }: StreamState,
  known: KnownEvents,
): AppendCheck => {
  const seen = events.map(({ id }) => known.revisionSeen(id));
  const revision = seen.at(-1);
  if (seen[0] === undefined) return { kind: 'append', after: last, recreates: isDeleted };
  return revision === undefined || seen.includes(undefined)
    ? { kind: 'invalid_transaction' }
    : { kind: 'repeated', revision };
};

/** At an earlier revision than the last one, the same events are a repeat. */
const checkAtRevision = (
  expected: number,
  events: readonly ProposedRecord[],
  { last, isDeleted }: StreamState,
  known: KnownEvents,
): AppendCheck => {
  if (expected === last) return { kind: 'append', after: last, recreates: isDeleted };
  if (expected > last) return { kind: 'wrong_expected_version', actual: last };
  const other = events.findIndex(({ id }, index) => known.idAt(expected + 1 + index) !== id);
  if (other === -1 && events.length > 0)
    return { kind: 'repeated', revision: expected + events.length };
  if (other > 0) return { kind: 'invalid_transaction' };
  return expected === -1 && isDeleted
    ? { kind: 'append', after: last, recreates: true }
    : { kind: 'wrong_expected_version', actual: last };
};
