import fc from 'fast-check';
import { duplicateKeyIn } from './duplicate-keys.js';

const inText = (text: string): string | undefined => duplicateKeyIn(text, JSON.parse(text));

it.each([
  ['{"a":1,"a":2}', '/a'],
  ['{"a":1,"b":2,"a":1}', '/a'],
  ['{"a" : 1 , "\\u0061"\n:\t2}', '/a'],
  ['{"metadata":{"source":"x","source":"y"}}', '/metadata/source'],
  ['{"metadata":{"source":"x"},"metadata":{"source":"y"}}', '/metadata'],
  ['{"list":["a",[],{"x":{}},{"x":1,"y":[1,2],"x":2}]}', '/list/3/x'],
  ['[[{"k":1,"k":1}]]', '/0/0/k'],
  ['{"":1,"":2}', '/'],
  ['{"a/b~c":1,"a/b~c":2}', '/a~1b~0c'],
  ['{"a":"\\"","a":"\\\\"}', '/a'],
  ['{"a":"{\\"b\\":1,","a":"}:"}', '/a'],
])('finds a key that %s has twice: %s', (text, path) => expect(inText(text)).toBe(path));

it.each([
  '{}',
  '[]',
  '1',
  '"a:b"',
  'null',
  '{"a":1,"A":2," a":3}',
  '{"a":{"a":{"a":":"}},"b":[{"a":1},{"a":1}]}',
  '{"a":"\\"a\\":1,","b":"\\\\","c":"\\\\\\""}',
])('finds none in %s', (text) => expect(inText(text)).toBeUndefined());

it('finds one at any depth, without recursion', () => {
  const depth = 100_000;
  const text = `${'['.repeat(depth)}{"a":1,"a":2}${']'.repeat(depth)}`;
  expect(duplicateKeyIn(text, JSON.parse(text))).toBe(`${'/0'.repeat(depth)}/a`);
});

describe('of any JSON', () => {
  const spaced = (value: unknown, space: number): string => JSON.stringify(value, undefined, space);

  it('finds none that is not there', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(3), (value, space) => {
        expect(inText(spaced(value, space))).toBeUndefined();
      }),
    );
  });

  it('finds each one that is', () => {
    const path = fc.array(fc.oneof(fc.string(), fc.nat(3)), { maxLength: 5 });
    fc.assert(
      fc.property(path, fc.string(), fc.jsonValue(), fc.jsonValue(), (steps, key, one, two) => {
        const [name, ...values] = [key, one, two].map((each) => JSON.stringify(each));
        const object = `{${values.map((value) => `${name}:${value}`).join(',')}}`;
        const text = steps.reduceRight<string>(
          (inner, step) =>
            typeof step === 'number'
              ? `[${'0,'.repeat(step)}${inner}]`
              : `{${JSON.stringify(step)}:${inner}}`,
          object,
        );
        const escaped = [...steps, key].map((step) =>
          String(step).replaceAll('~', '~0').replaceAll('/', '~1'),
        );
        expect(inText(text)).toBe(`/${escaped.join('/')}`);
      }),
    );
  });
});
