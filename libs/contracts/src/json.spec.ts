import fc from 'fast-check';
import { fromJson, toJson } from './json.js';

const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double().filter((n) => Number.isFinite(n) && !Number.isInteger(n)),
    fc.bigInt().filter((n) => !Number.isSafeInteger(Number(n))),
    fc.string({ unit: 'binary' }).filter((text) => !text.startsWith('\u0000')),
    // texts that look like JSON with a long integer
    fc.bigInt().map((n) => `":[${n},`),
    fc.array(tie('value')),
    fc.dictionary(fc.string(), tie('value')),
  ),
})).value;

it('reads what it has written, integers of any size included', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      expect(fromJson(toJson([value]))).toEqual([value]);
    }),
  );
});

it('writes what JSON.stringify writes where there is no bigint, and reads what it reads', () => {
  const json = '{"a":[1,-9007199254740991,1.5,"9007199254740993"],"b":null}';
  const value: unknown = JSON.parse(json);
  expect([toJson(value), fromJson(json)]).toEqual([json, value]);
});

it('writes integers past 2^53 exactly, and small ones as numbers', () => {
  expect(toJson({ sums: [9007199254740993n, -9007199254740993n], small: 5n })).toBe(
    '{"sums":[9007199254740993,-9007199254740993],"small":5}',
  );
  expect(fromJson('{"small":5,"edge":9007199254740991}')).toEqual({
    small: 5,
    edge: Number.MAX_SAFE_INTEGER,
  });
});

it('throws for what has no JSON', () => {
  const circle: unknown[] = [];
  circle.push(circle, 1n);
  expect(() => toJson(circle)).toThrow(TypeError);
  expect(() => fromJson('[9007199254740993')).toThrow(SyntaxError);
});
