import type { Build } from '../../read-store.js';
import type { EncodedDocument } from '../encode-documents.js';
import { WriteBuffer } from './write-buffer.js';

const build: Build = {
  id: 'b',
  projection: 'sales',
  version: 1,
  logId: 'log-1',
  state: 'building',
  checkpoint: undefined,
};
const documents = (...ids: string[]): EncodedDocument[] =>
  ids.map((id) => [id, null, [], 1, null, '{}', null]);

it('hands out every document once, by collection, in the order in which they came', () => {
  const buffer = new WriteBuffer();
  buffer.add({ build, collection: 'one', documents: documents('d', 'a') });
  buffer.add({ build, collection: 'two', documents: documents('y', 'x') });
  buffer.add({ build, collection: 'one', documents: documents('c', 'b') });
  expect(buffer.left).toBe(6);

  const steps = [3, 3].map((limit) =>
    buffer
      .take(limit)
      .map((taken) => [taken.collection, taken.documents.map(([id]) => id).join('')]),
  );

  expect(steps).toEqual([
    [['one', 'dac']],
    [
      ['one', 'b'],
      ['two', 'yx'],
    ],
  ]);
  expect(buffer.left).toBe(0);
  expect(buffer.take(3)).toEqual([]);
});
