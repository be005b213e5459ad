import { once } from 'node:events';
import { newMetrics } from '@refledger/platform';
import type { Caller } from '@refledger/queries';
import { Exports } from './exports.js';

const caller = (account: string): Caller => ({
  accountId: `acct_${account}`,
  keyId: 'key_1',
  scope: 'read',
});
async function* text(): AsyncGenerator<string> {
  yield await Promise.resolve('text');
}

it.each([
  ['per account', ['a', 'a'], 'a', 'too_many_exports'],
  ['in total', ['a', 'a', 'b'], 'c', 'unavailable'],
])('sends only so many %s at a time', async (_, before, next, code) => {
  const exports = new Exports(newMetrics(), { total: 3, perAccount: 2 });
  const [first] = before.map((account) => exports.send(caller(account), text()));
  const send = () => exports.send(caller(next), text());
  expect(send).toThrow(expect.objectContaining({ code }) as Error);
  if (first === undefined) throw new Error('nothing is sent');
  const closed = once(first, 'close');
  first.destroy();
  await closed;
  expect(send).not.toThrow();
});

it('gathers a text within the limits, and ends a gathering that fails', async () => {
  const exports = new Exports(newMetrics(), { total: 3, perAccount: 1 });
  let fail = (_: Error): void => undefined;
  const gathered = new Promise<string>((_, reject) => (fail = reject));
  const sent = exports.sendGathered(caller('a'), () => gathered);
  const send = () => exports.sendGathered(caller('a'), () => Promise.resolve('text'));
  await expect(send()).rejects.toMatchObject({ code: 'too_many_exports' });
  fail(new Error('impossible'));
  await expect(sent).rejects.toThrow('impossible');
  const next = await send();
  const closed = once(next, 'close');
  expect((await next.toArray()).join('')).toBe('text');
  await closed;
  await expect(send()).resolves.toBeDefined();
});
