import type { Position } from '@refledger/contracts';
import type { Build, ChangedDocument } from '@refledger/read-store';
import { present } from '@refledger/testing/present';
import { conversionsProjection } from '../conversions.projection.js';
import { BuildInMemory } from './build-in-memory.js';
import { Documents, ReadMarks } from './documents.js';

const build: Build = {
  id: 'b',
  projection: 'conversions',
  version: 1,
  logId: 'log',
  state: 'building',
  checkpoint: undefined,
};
const document = (id: string, position: number, text = '', read?: number): ChangedDocument => ({
  id,
  readPosition: read === undefined ? undefined : (String(read) as Position),
  position: String(position) as Position,
  document: { text },
});
const large = (position: number): ChangedDocument[] =>
  Array.from({ length: 50 }, (_, n) =>
    document(`large-${position}-${n}`, position, 'x'.repeat(100_000)),
  );

/** Folds and saves documents at a position. */
const save = (
  memory: BuildInMemory,
  position: number,
  ...saved: readonly ChangedDocument[]
): void => {
  const documents = new Documents<ChangedDocument>();
  for (const each of saved) documents.set('conversions', each);
  memory.fold(
    { changed: documents, unchanged: new ReadMarks() },
    { logId: 'log', position: String(position) as Position, eventId: String(position) },
  );
  memory.endSave(present(memory.beginSave()));
};
const positionOf = (memory: BuildInMemory, id: string): string | undefined =>
  memory.get({ collection: 'conversions', id })?.position;

it.each([
  ['small', []],
  ['large', large(2)],
])(
  'returns a document as last folded, not as loaded, after a %s save and a large one',
  (_, others) => {
    const memory = new BuildInMemory({ build, projection: conversionsProjection });
    memory.keep('conversions', [document('a', 1)]);
    save(memory, 2, document('a', 2), ...others);
    expect(positionOf(memory, 'a')).toBe('2');
    save(memory, 3, ...large(3));
    expect([positionOf(memory, 'a'), positionOf(memory, 'large-3-0')]).toEqual(['2', '3']);
  },
);

it('evicts documents that were not used for two large saves', () => {
  const memory = new BuildInMemory({ build, projection: conversionsProjection });
  memory.keep('conversions', [document('a', 1)]);
  for (const position of [2, 3]) save(memory, position, ...large(position));
  expect([positionOf(memory, 'a'), positionOf(memory, 'large-2-0')]).toEqual([undefined, '2']);
});

it('reports the position at which a document is stored, including saves in progress', () => {
  const memory = new BuildInMemory({ build, projection: conversionsProjection });
  const positions = () => {
    const { position, readPosition } = present(memory.get({ collection: 'conversions', id: 'a' }));
    return [position, readPosition];
  };
  memory.keep('conversions', [document('a', 1)]);
  expect(positions()).toEqual(['1', '1']);
  const documents = new Documents<ChangedDocument>();
  documents.set('conversions', document('a', 2, '', 1));
  memory.fold(
    { changed: documents, unchanged: new ReadMarks() },
    { logId: 'log', position: '2' as Position, eventId: '2' },
  );
  expect(positions()).toEqual(['2', '1']);
  const changes = present(memory.beginSave());
  expect(changes.documents.get('conversions')).toMatchObject([
    { position: '2', readPosition: '1' },
  ]);
  expect(positions()).toEqual(['2', '2']);
  memory.endSave(changes);
  expect(positions()).toEqual(['2', '2']);
});
