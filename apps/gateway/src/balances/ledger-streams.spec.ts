import { once } from 'node:events';
import { newMetrics } from '@refledger/platform';
import type { Caller } from '@refledger/queries';
import { LedgerStreams } from './ledger-streams.js';

const caller = (account: string): Caller => ({
  accountId: `acct_${account}`,
  keyId: 'key_1',
  scope: 'read',
});
async function* pieces(...texts: readonly string[]): AsyncGenerator<string> {
  for (const text of texts) yield await Promise.resolve(text);
}
const setUp = () => new LedgerStreams(newMetrics(), { total: 3, perAccount: 2 });

it('sends the pieces in order', async () => {
  const sent: string[] = [];
  for await (const chunk of setUp().send(caller('a'), pieces('one', 'two')))
    sent.push(String(chunk));
  expect(sent.join('')).toBe('onetwo');
});

it.each([
  ['per account', ['a', 'a'], 'a', 'b'],
  ['in total', ['a', 'a', 'b'], 'c', undefined],
])('sends only so many %s at a time', async (_, before, next, other) => {
  const streams = setUp();
  const open = before.map((account) => streams.send(caller(account), pieces('text')));
  const send = () => streams.send(caller(next), pieces('text'));
  expect(send).toThrow(expect.objectContaining({ code: 'unavailable' }) as Error);
  if (other !== undefined) open.push(streams.send(caller(other), pieces('text')));
  const [first] = open;
  if (first === undefined) throw new Error('nothing is sent');
  const closed = once(first, 'close');
  first.destroy();
  await closed;
  expect(send).not.toThrow();
});

it('reads no more than a client takes, and stops when it leaves', async () => {
  let read = 0;
  let hasStopped = false;
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) yield await Promise.resolve('x'.repeat(++read && 32_768));
    } finally {
      hasStopped = true;
    }
  }
  const stream = setUp().send(caller('a'), endless());
  await once(stream, 'readable');
  const closed = once(stream, 'close');
  expect(read).toBeLessThan(10);
  stream.destroy();
  await closed;
  expect(hasStopped).toBe(true);
});
