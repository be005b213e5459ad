import type { LoggedEvent } from '@refledger/event-log';
import type { StreamName } from '@refledger/contracts';
import { streamLabel } from './format/event-lines.js';
import { subjectOf } from './subject.js';

it.each([
  ['conv_1', 'refledger.conversion-conv_1'],
  ['aff_1', 'refledger.affiliate-aff_1'],
  ['adj_1', 'refledger.adjustment-adj_1'],
  ['acct_1', 'refledger.account-acct_1'],
  ['projector', 'refledger.processor-projector'],
  ['posting', 'refledger.processor-posting'],
  ['webhook-dispatcher', 'refledger.processor-webhook-dispatcher'],
  ['log', 'refledger.log'],
  ['claim-abc', 'refledger.claim-abc'],
  ['refledger.keys-acct_1', 'refledger.keys-acct_1'],
  ['program-acct_1-prog_1', 'refledger.program-acct_1-prog_1'],
])('%s means the stream %s, and so does the name of the stream', (text, stream) => {
  const subject = subjectOf(text);
  expect([subject.prefix, ...(subject.streams?.() ?? [])]).toEqual([stream, stream]);
  expect(subjectOf(streamLabel(subject.prefix)).prefix).toBe(stream);
});

it('a program id needs its account', () => {
  expect(subjectOf('prog_1', 'acct_1').prefix).toBe('refledger.program-acct_1-prog_1');
  expect(() => subjectOf('prog_1')).toThrow('--account');
});

it('a subject has the account that it is looked up in', () => {
  expect(
    [
      subjectOf('prog_1', 'acct_1'),
      subjectOf('whk_1', 'acct_1'),
      subjectOf('whk_1'),
      // its id is unique, so the account does not matter
      subjectOf('conv_1', 'acct_1'),
    ].map(({ account }) => account),
  ).toEqual(['acct_1', 'acct_1', undefined, undefined]);
});

it('an endpoint and a key are looked up in the streams of their kind, or of one account', () => {
  const eventOf = (endpoint_id: string): LoggedEvent =>
    ({ data: { endpoint_id } }) as unknown as LoggedEvent;
  const endpoint = subjectOf('whk_1');
  expect([
    endpoint.prefix,
    endpoint.streams,
    endpoint.matches(eventOf('whk_1')),
    endpoint.matches(eventOf('whk_2')),
  ]).toEqual(['refledger.webhooks-', undefined, true, false]);
  expect(subjectOf('whk_1', 'acct_1').prefix).toBe('refledger.webhooks-acct_1');
  expect(subjectOf('key_1').prefix).toBe('refledger.keys-');
});

it('a balance is all its chapters, and the name of a chapter is only that one', () => {
  const inChapter = (stream: StreamName): LoggedEvent => ({ stream }) as unknown as LoggedEvent;
  const balance = subjectOf('bal_1');
  const [first, second] = balance.streams?.() ?? [];
  expect([first, second]).toEqual(['refledger.balance-bal_1-0', 'refledger.balance-bal_1-1']);
  expect(balance.matches(inChapter('refledger.balance-bal_1-7'))).toBe(true);
  expect(balance.matches(inChapter('refledger.balance-bal_11-7'))).toBe(false);
  expect(subjectOf(streamLabel('refledger.balance-bal_1-7')).prefix).toBe(balance.prefix);
  expect(subjectOf('balance-bal_1-7').prefix).toBe('refledger.balance-bal_1-7');
});

it("an account's other streams are listed", () => {
  expect(subjectOf('acct_1').also).toEqual(['refledger.webhooks-acct_1', 'refledger.keys-acct_1']);
});

it.each(['', 'nothing', 'dlv_1', 'evt_1', 'refledger.', 'processor-'])(
  '%j names no stream',
  (text) => {
    expect(() => subjectOf(text)).toThrow('does not name a stream');
  },
);
