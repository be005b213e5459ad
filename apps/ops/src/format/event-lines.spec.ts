import type { Position, StreamName } from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import { eventJson, eventParagraph, eventRow, rowHeading, streamLabel } from './event-lines.js';

const data = {
  affiliate_id: 'aff_1',
  before: { status: 'pending', payout_hold: false },
  after: { status: 'rejected', payout_hold: false },
  sealed: 'v1.abc',
  hashes: { email: 'h', external_id: null },
  changed: ['reason'],
  recipient_changed: false,
};
const event: LoggedEvent = {
  id: 'e1',
  type: 'affiliate.rejected',
  stream: 'refledger.affiliate-aff_1',
  revision: 2,
  position: '12' as Position,
  data,
  metadata: {
    account_id: 'acct_1',
    actor: 'key_1',
    request_id: 'r',
    schema: 1,
    recorded_at: '2026-01-01T00:00:00.000Z',
  },
};

it('a row has the event, its record, its actor and the changes, in columns under their headings', () => {
  const row = eventRow(event);
  expect(row).toMatch(
    /^ {6}12 {2}2026-01-01T00:00:00\.000Z {2}affiliate\.rejected +aff_1 +key_1 +status pending → rejected, reason \[personal\] → \[personal\]$/,
  );
  for (const [heading, cell] of [
    ['time', '2026'],
    ['type', 'affiliate.'],
    ['of', 'aff_1'],
    ['by', 'key_1'],
    ['what', 'status'],
  ] as const)
    expect(row.indexOf(cell)).toBe(rowHeading().indexOf(heading));
});

it('a row is cut to the width of a terminal', () => {
  expect(eventRow(event, 40)).toHaveLength(40);
  expect(eventRow(event, 40)).toMatch(/…$/);
  expect(eventRow(event, 400)).toBe(eventRow(event));
});

it('a paragraph gives every change a line', () => {
  expect(eventParagraph(event)).toBe(
    '2026-01-01T00:00:00.000Z  affiliate.rejected  by key_1  (revision 2, position 12, request r)\n    status: pending → rejected\n    reason: [personal] → [personal]',
  );
});

it('a removed field is shown as gone', () => {
  expect(eventParagraph({ ...event, data: { before: { name: 'Ada' } } })).toMatch(
    /\n {4}name: Ada → gone$/,
  );
});

it('shows what is invisible in a key of metadata, and what would reorder the line', () => {
  const changed = { ...event, data: { after: { metadata: { 'a\u202eb': '\u200b' } } } };
  for (const line of [eventRow(changed), eventParagraph(changed)])
    expect(line).toMatch(/metadata\.a\\u202eb:? "\\u200b"$/);
});

it('a first event shows its plain fields, and that the others are sealed', () => {
  const first = { affiliate_id: 'aff_1', after: { status: 'pending' }, sealed: 'v1.abc' };
  expect(
    eventParagraph({ ...event, type: 'affiliate.created', data: first })
      .split('\n')
      .slice(1),
  ).toEqual(['    affiliate_id: aff_1', '    sealed: [personal]', '    status: pending']);
});

it('a line of JSON is the event, without secrets', () => {
  const shown = { ...event, data: { ...data, sealed: '[personal]' } };
  expect(JSON.parse(eventJson(event))).toEqual(shown);
  const conversion = { ...event, type: 'conversion.created', data: { changed: ['mine'] } };
  expect(JSON.parse(eventJson(conversion))).toMatchObject(conversion);
});

it.each([
  ['refledger.affiliate-aff_1', 'aff_1'],
  ['refledger.conversion-conv_1', 'conv_1'],
  ['refledger.account-acct_1', 'acct_1'],
  ['refledger.keys-acct_1', 'keys-acct_1'],
  ['refledger.program-acct_1-prog_1', 'program-acct_1-prog_1'],
  ['refledger.log', 'log'],
])('%s is called %s', (stream, label) => {
  expect(streamLabel(stream as StreamName)).toBe(label);
});

it('an event has the fields that it was recorded without, because they have their defaults', () => {
  const rejected: LoggedEvent = {
    ...event,
    type: 'conversion.rejected',
    data: { before: { status: 'pending' }, after: { status: 'rejected', reason: 'not now' } },
  };
  expect(JSON.parse(eventJson(rejected))).toMatchObject({
    data: { before: { reason: null, payout_id: null }, after: { refunded_amount: 0 } },
  });
  expect(eventParagraph(rejected)).toContain('    reason: none → "not now"');
});
