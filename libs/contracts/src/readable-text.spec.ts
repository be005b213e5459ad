import { z } from 'zod';
import { operations, type OperationSpec } from './operations/operations.js';

interface Field {
  readonly name: string;
  readonly accepts: (value: string) => boolean;
}

/** The fields of every request's body, apart from ids, which are looked up and not kept. */
const fields: readonly Field[] = Object.entries<OperationSpec>(operations).flatMap(
  ([operation, { body, bodyLine }]) =>
    Object.entries({ ...body?.shape, ...bodyLine?.shape })
      .filter(([name]) => !['affiliate_id', 'payout_id', 'cursor'].includes(name))
      .map(([name, field]) => ({
        name: `${operation} ${name}`,
        accepts: (value) => z.safeParse(field, value).success,
      })),
);
const namesOf = (chosen: readonly Field[]) => chosen.map(({ name }) => name);
const texts = fields.filter(({ accepts }) => ['a', 'a@b', 'http://a'].some(accepts));

it('no text that people read changes the direction of what stands beside it', () => {
  expect(namesOf(texts)).toEqual(
    expect.arrayContaining(['createProgram name', 'subscribe description']),
  );
  const reordering = ['\u202a', '\u202e', '\u2066', '\u2069'];
  const accepted = texts.filter(({ accepts }) =>
    reordering.some((sign) => [`a${sign}`, `a${sign}@b`, `http://a/${sign}`].some(accepts)),
  );
  expect(namesOf(accepted)).toEqual([]);
});

it('no text that must not be empty is invisible', () => {
  const required = texts.filter(({ accepts }) => !accepts(''));
  expect(namesOf(required)).toEqual(
    expect.arrayContaining(['createProgram name', 'createConversion external_transaction_id']),
  );
  expect(
    namesOf(required.filter(({ accepts }) => accepts('\u200b') || accepts('\u2800\u2060'))),
  ).toEqual([]);
});
