import { join } from 'node:path';
import { Linter, type Rule } from 'eslint';

/** The messages about tests whose functions may have 4 lines. */
let lint: (code: string) => string[];
beforeAll(async () => {
  const file = join(__dirname, '../../../tools/eslint/max-lines-per-test-function.mjs');
  // a program in JavaScript, without types
  const { maxLinesPerTestFunction } = (await import(file)) as {
    readonly maxLinesPerTestFunction: Rule.RuleModule;
  };
  const config: Linter.Config = {
    plugins: { test: { rules: { 'max-lines': maxLinesPerTestFunction } } },
    rules: { 'test/max-lines': ['error', 4] },
  };
  lint = (code) =>
    new Linter().verify(code, { ...config }).map(({ line, message }) => `${line}: ${message}`);
});

const test = (lines: number) => [
  'it("x", () => {',
  ...Array<string>(lines - 2).fill('f();'),
  '});',
];
const lines = (...parts: (string | string[])[]) => parts.flat().join('\n');
const tooLong = (line: number, count: number) =>
  `${line}: This function has ${count} lines. Split it: the maximum is 4.`;

it('a test may have as many lines as the maximum', () => {
  expect(lint(lines(test(4)))).toEqual([]);
  expect(lint(lines(test(5)))).toEqual([tooLong(1, 5)]);
});

it.each([
  'describe("x", () => {',
  'describe.only("x", function () {',
  'describe.each([1])("x", (n) => {',
  'describeOnEngine("x", "y", (server) => {',
  '(f() ? describe.skip : describe)("x", () => {',
])('the callback of %s may be longer, but not a test in it', (opening) => {
  expect(lint(lines(opening, test(4), test(4), '});'))).toEqual([]);
  expect(lint(lines(opening, test(4), test(5), '});'))).toEqual([tooLong(6, 5)]);
});

it('the lines of callbacks of describe do not count for the function around them', () => {
  const suite = ['describe("x", () => {', ...test(4), ...test(4), '});'];
  expect(lint(lines('const a = () => {', suite, suite, 'f();', '};'))).toEqual([]);
  expect(lint(lines('const a = () => {', suite, 'f();', suite, 'f();', 'f();', '};'))).toEqual([
    tooLong(1, 5),
  ]);
});

it('the lines of other functions count for the function around them', () => {
  expect(lint(lines('const suite = () => {', test(3), '};'))).toEqual([tooLong(1, 5)]);
  expect(lint(lines('describeAll = () => {', test(3), '};'))).toEqual([tooLong(1, 5)]);
});
