/** An event as a client proposes it. */
export interface ProposedRecord {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** The expected revision. `any` and `exists` are the protocol's; -1 means no stream. */
export type ExpectedRevision = number | 'any' | 'exists';

export interface Append {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly ProposedRecord[];
}

/** The state of a stream. `last` is -1 when nothing was ever written to it. */
export interface StreamState {
  readonly last: number;
  /** The first revision that is still readable. */
  readonly first: number;
  readonly isDeleted: boolean;
}

/** The decision on an append: to append after a revision, or the outcome. */
export type AppendCheck =
  | { readonly kind: 'append'; readonly after: number; readonly recreates: boolean }
  | { readonly kind: 'appended'; readonly revision: number; readonly position: number }
  | { readonly kind: 'repeated'; readonly revision: number; readonly position?: number | undefined }
  | { readonly kind: 'wrong_expected_version'; readonly actual: number }
  | { readonly kind: 'stream_deleted' }
  /** The same append is not committed yet, or never will be. */
  | { readonly kind: 'timed_out' }
  /** The events start as a repeat and continue differently. */
  | { readonly kind: 'invalid_transaction' };

/** The outcome of an append. */
export type AppendResult = Exclude<AppendCheck, { readonly kind: 'append' }>;

/**
 * The revision of a tombstone. The server's own, 2^63 - 1, is too large for a JavaScript number.
 */
export const deletedRevision = Number.MAX_SAFE_INTEGER;

/** Looks up the stream's events by revision and by id. */
interface KnownEvents {
  readonly idAt: (revision: number) => string | undefined;
  readonly revisionSeen: (id: string) => number | undefined;
}

/** Decides on an append as the server does, in the same order (its `IndexWriter.CheckCommit`). */
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

/** Decides on an append that expects no revision: only ids reveal a repeat. */
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

/**
 * Decides on an append at an expected revision. If that is earlier than the last one, the same
 * events are a repeat.
 */
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
