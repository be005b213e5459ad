import { DomainError } from '@refledger/contracts';
import { EventLogError } from './event-log-error.js';
import { messageOf } from './message-of.js';

it.each([
  ['an error of JavaScript', () => JSON.parse('{"email": jane@x.com}') as unknown, 'SyntaxError'],
  ['a refused conversion', () => BigInt('jane@x.com'), 'SyntaxError'],
  [
    'an error of Node',
    () => Buffer.alloc('jane@x.com' as never),
    'TypeError (ERR_INVALID_ARG_TYPE)',
  ],
  [
    'a problem',
    () => {
      throw new DomainError('affiliate_exists', 'jane@x.com is taken');
    },
    'DomainError (affiliate_exists)',
  ],
])('names %s without its message, which may quote a value', (_, act, message) => {
  let thrown: unknown;
  try {
    act();
  } catch (error) {
    thrown = error;
  }
  expect(messageOf(thrown)).toBe(message);
});

it('is the message of any other error', () => {
  expect(messageOf(new Error('the disk is slow'))).toBe('the disk is slow');
  expect(messageOf(new EventLogError({ kind: 'unavailable' }, 'disk full'))).toBe('disk full');
});

it('never quotes a thrown value that is no error', () => {
  expect(['jane@x.com', { email: 'jane@x.com' }, null].map(messageOf)).toEqual([
    'a thrown string',
    'a thrown object',
    'a thrown object',
  ]);
});
