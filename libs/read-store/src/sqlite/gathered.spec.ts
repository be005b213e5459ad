import type { Build } from '../read-store.js';
import type { EncodedDocument } from './encode-documents.js';
import { Gathered } from './gathered.js';

const build: Build = {
  id: 'b',
  projection: 'sales',
  version: 1,
  logId: 'log-1',
  state: 'building',
  checkpoint: undefined,
};
const documents = (...ids: string[]): EncodedDocument[] =>
  ids.map((id) => [id, null, 1, '{}', null]);

it('hands out everything once, a collection at a time and by id', () => {
  const gathered = new Gathered();
  gathered.add({ build, collection: 'one', documents: documents('d', 'a') });
  gathered.add({ build, collection: 'two', documents: documents('y', 'x') });
  gathered.add({ build, collection: 'one', documents: documents('c', 'b') });
  expect(gathered.left).toBe(6);

  const steps = [3, 3].map((most) =>
    gathered
      .take(most)
      .map((taken) => [taken.collection, taken.documents.map(([id]) => id).join('')]),
  );

  expect(steps).toEqual([
    [['one', 'abc']],
    [
      ['one', 'd'],
      ['two', 'xy'],
    ],
  ]);
  expect(gathered.left).toBe(0);
  expect(gathered.take(3)).toEqual([]);
});
