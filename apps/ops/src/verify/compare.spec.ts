import { Readable } from 'node:stream';
import fc from 'fast-check';
import type { Position } from '@refledger/contracts';
import type { Document, StoredDocument } from '@refledger/read-store';
import { compareCollections, type Difference } from './compare.js';

const stored = (id: string, document: Document, position = '1'): StoredDocument => ({
  id,
  position: position as Position,
  document,
});

const differences = async (
  left: readonly StoredDocument[],
  right: readonly StoredDocument[],
): Promise<readonly Difference[][]> => {
  const found: Difference[][] = [];
  for await (const of of compareCollections(inOrder(left), inOrder(right)))
    found.push([...of.differences]);
  return found;
};

const inOrder = (documents: readonly StoredDocument[]): AsyncIterable<StoredDocument> =>
  Readable.from(
    [...documents].sort((a, b) => Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))),
  );

it('names documents that are only on one side, and fields that differ', async () => {
  const left = [stored('a', { x: 1 }), stored('b', { x: 1, y: { z: 1 } }), stored('d', {})];
  const right = [
    stored('b', { x: 1, y: { z: 2 }, w: null }),
    stored('c', {}),
    stored('d', {}, '2'),
  ];
  expect(await differences(left, right)).toEqual([
    [{ kind: 'extra', id: 'a' }],
    [
      { kind: 'field', id: 'b', field: 'y.z', stored: 1, folded: 2 },
      { kind: 'field', id: 'b', field: 'w', stored: undefined, folded: null },
    ],
    [{ kind: 'missing', id: 'c' }],
    [{ kind: 'field', id: 'd', field: '(position)', stored: '1', folded: '2' }],
  ]);
});

it('visits every id of either side once, and reports exactly the differences', async () => {
  const collection = fc.uniqueArray(
    fc.record({
      id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2 }),
      x: fc.integer({ min: 0, max: 2 }),
    }),
    { selector: ({ id }) => id, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(collection, collection, async (left, right) => {
      const asked = new Set([...left, ...right].map(({ id }) => id));
      const same = [...asked].filter(
        (id) =>
          left.find((document) => document.id === id)?.x ===
          right.find((document) => document.id === id)?.x,
      );
      const found = await differences(
        left.map(({ id, x }) => stored(id, { x })),
        right.map(({ id, x }) => stored(id, { x })),
      );
      expect(found).toHaveLength(asked.size);
      expect(found.filter((of) => of.length === 0)).toHaveLength(same.length);
    }),
  );
});
