import { checkAppend, deletedRevision, type Append, type StreamState } from './append-check.js';

const event = (id: string) => ({
  id,
  type: 't',
  contentType: 'application/json',
  data: new Uint8Array(),
  metadata: new Uint8Array(),
});
const append = (expected: Append['expected'], ...ids: string[]): Append => ({
  stream: 's',
  expected,
  events: ids.map(event),
});
const state = (last: number, over: Partial<StreamState> = {}): StreamState => ({
  last,
  first: 0,
  isDeleted: false,
  ...over,
});
/** The stream holds a, b and c; the process has seen b and c. */
const known = {
  idAt: (revision: number) => ['a', 'b', 'c'][revision],
  revisionSeen: (id: string) => ({ b: 1, c: 2 })[id],
};
const deleted = state(2, { isDeleted: true });

it.each([
  ['the next events', append(2, 'd'), state(2), { kind: 'append', after: 2, recreates: false }],
  ['the first events', append(-1, 'd'), state(-1), { kind: 'append', after: -1, recreates: false }],
  ['a whole repeat', append(-1, 'a', 'b'), state(2), { kind: 'repeated', revision: 1 }],
  ['a repeat in the middle', append(1, 'c'), state(2), { kind: 'repeated', revision: 2 }],
  [
    'a repeat that continues differently',
    append(-1, 'a', 'x'),
    state(2),
    { kind: 'invalid_transaction' },
  ],
  [
    'a repeat that continues past the end',
    append(1, 'c', 'd'),
    state(2),
    { kind: 'invalid_transaction' },
  ],
  ['something else', append(0, 'x'), state(2), { kind: 'wrong_expected_version', actual: 2 }],
  ['more than there is', append(5, 'x'), state(2), { kind: 'wrong_expected_version', actual: 2 }],
  ['anything to a tombstone', append(-1, 'a'), state(deletedRevision), { kind: 'stream_deleted' }],
  [
    'a new start of a deleted stream',
    append(-1, 'x'),
    deleted,
    { kind: 'append', after: 2, recreates: true },
  ],
  ['a repeat to a deleted stream', append(-1, 'a'), deleted, { kind: 'repeated', revision: 0 }],
  ['any, not seen', append('any', 'a'), state(2), { kind: 'append', after: 2, recreates: false }],
  ['any, seen', append('any', 'b', 'c'), state(2), { kind: 'repeated', revision: 2 }],
  ['any, half seen', append('any', 'c', 'd'), state(2), { kind: 'invalid_transaction' }],
  [
    'to a stream that must exist and does not',
    append('exists', 'x'),
    state(-1),
    { kind: 'wrong_expected_version', actual: -1 },
  ],
  [
    'to a stream that must exist and was deleted',
    append('exists', 'x'),
    deleted,
    { kind: 'stream_deleted' },
  ],
])('decides as the server does: %s', (_name, asked, there, decided) => {
  expect(checkAppend(asked, there, known)).toEqual(decided);
});
