import { DomainError } from '@refledger/contracts';
import { newLogger } from './logger.js';

const logged = (err: unknown): string => {
  const lines: string[] = [];
  const logger = newLogger('info', 'test', { write: (line) => void lines.push(line) });
  logger.warn({ err }, 'it failed');
  return lines.join('');
};
const person = 'jane@example.com';

it('has type, code, message and stack, and the causes in the stack', () => {
  const cause = Object.assign(new Error('the socket is closed'), { code: 'EPIPE' });
  const error = Object.assign(new Error('two\nlines', { cause }), { code: 14 });
  const { err } = JSON.parse(logged(error)) as { err: Record<string, string> };
  expect(err).toMatchObject({ type: 'Error', code: 14, message: 'two\nlines' });
  expect(err['stack']).toMatch(/^Error: two\nlines\n {4}at .+logged-error\.spec\.ts:\d+:\d+/);
  expect(err['stack']).toMatch(/\ncaused by: Error: the socket is closed\n {4}at .+:\d+:\d+/);
});

it.each([
  ['a further field', Object.assign(new Error('duplicate key'), { keyValue: { email: person } })],
  ['received bytes', Object.assign(new Error('Expected HTTP/'), { data: `{"email":"${person}"}` })],
  ['the detail of a problem', new DomainError('affiliate_exists', `${person} is taken`)],
  ['a message of JavaScript', new TypeError(`Cannot create property 'x' on '${person}'`)],
  ['a line that resembles a frame', new TypeError(`\n    at ${person}:1:2`)],
  ['a cause', new Error('it failed', { cause: new SyntaxError(`Unexpected ${person}`) })],
  ['errors in an error', new AggregateError([new RangeError(person)], 'all failed')],
  ['a field that is an error', Object.assign(new Error('x'), { inner: new Error(person) })],
  ['a thrown text', person],
  ['a thrown object', { email: person }],
])('has no personal value of %s', (_, error) => {
  expect(logged(error)).toContain('it failed');
  expect(logged(error)).not.toContain(person);
});

it('ends with causes that are a circle', () => {
  const error = new Error('round');
  error.cause = error;
  expect(logged(error)).toContain('round');
});
