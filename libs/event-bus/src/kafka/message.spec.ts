import { randomUUID } from 'node:crypto';
import {
  exampleRecordOf,
  headersSchema,
  newId,
  publicEventId,
  type PayoutRunRecord,
  type Position,
} from '@refledger/contracts';
import { affiliateFields } from '@refledger/domain/testing';
import type { PublishedRecord } from '../event-bus.js';
import { readMessage, toMessage } from './message.js';

const affiliate = newId('affiliate');
const record: PublishedRecord = {
  eventId: randomUUID(),
  type: 'affiliate.updated',
  accountId: newId('account'),
  key: affiliate,
  position: '17' as Position,
  revision: 3,
  timestamp: '2026-01-31T09:30:00.000Z',
  record: {
    id: affiliate,
    object: 'affiliate',
    ...affiliateFields,
    status: 'pending',
    program_id: 'prog_spring',
    created_at: '2026-01-31T09:30:00.000Z',
    updated_at: '2026-01-31T09:30:00.000Z',
    approved_at: null,
    revision: 3,
  },
};
const buffers = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)]));
/** The message as the broker returns it. */
const sent = (
  change: { readonly headers?: Readonly<Record<string, string>>; readonly value?: string } = {},
) => {
  const { key, value, headers } = toMessage(record, 'one');
  return {
    key: Buffer.from(key),
    value: Buffer.from(change.value ?? value),
    headers: buffers({ ...headers, ...change.headers }),
  };
};

it('is a CloudEvent with the headers that docs/asyncapi.json names', () => {
  expect(
    headersSchema('affiliate.updated').strict().parse(toMessage(record, 'one').headers),
  ).toMatchObject({
    ce_id: publicEventId(record.eventId),
    ce_subject: affiliate,
    ce_position: '17',
    ce_revision: '3',
  });
  expect(JSON.parse(toMessage(record, 'one').value)).toEqual(record.record);
});

it('reads back as the published record', () => {
  expect(readMessage(sent(), 'one')).toEqual({ kind: 'record', record });
});

it('reads back as the published record, even if the record has no revision', () => {
  const endpoint: PublishedRecord = {
    ...record,
    type: 'webhook.paused',
    key: record.accountId,
    record: exampleRecordOf('webhook.paused'),
  };
  const { key, value, headers } = toMessage(endpoint, 'one');
  const message = { key: Buffer.from(key), value: Buffer.from(value), headers: buffers(headers) };
  expect(readMessage(message, 'one')).toEqual({ kind: 'record', record: endpoint });
});

it('keeps a total exactly that no number can hold', () => {
  const example = exampleRecordOf('payout_run.finished') as PayoutRunRecord;
  const totals = [{ currency: 'USD', payouts: 2, amount: 9_007_199_254_740_993n }];
  const run: PayoutRunRecord = { ...example, totals };
  const { value } = toMessage({ ...record, type: 'payout_run.finished', record: run }, 'one');
  expect(value).toContain('"amount":9007199254740993}');
  const read = readMessage(sent({ value, headers: { ce_type: 'payout_run.finished' } }), 'one');
  expect(read).toMatchObject({ kind: 'record', record: { record: { totals } } });
});

it('recognizes a message from another log', () => {
  expect(readMessage(sent(), 'two')).toEqual({ kind: 'of another log', logId: 'one' });
});

it('names the event of an unreadable message from this log, so that it can be skipped', () => {
  for (const broken of [
    sent({ value: '{"object":' }),
    sent({ value: 'null' }),
    sent({ value: '{"object":"payout","id":"p","revision":1}' }),
    sent({ headers: { ce_type: 'affiliate.merged' } }),
  ]) {
    const read = readMessage(broken, 'one');
    expect(read.kind).toBe('unreadable');
    expect(read.kind === 'unreadable' && read.error.event).toMatchObject({
      id: record.eventId,
      position: '17',
    });
  }
});

it('treats a message from another program as foreign', () => {
  const foreign = [
    { key: null, value: null },
    { key: null, value: Buffer.from('x'), headers: buffers({ other: 'y' }) },
    sent({ headers: { ce_source: '/elsewhere' } }),
    sent({ headers: { ce_specversion: '2.0' } }),
    sent({ headers: { ce_id: 'evt_1' } }),
    sent({ headers: { ce_position: '-1' } }),
  ];
  for (const message of foreign) expect(readMessage(message, 'one').kind).toBe('foreign');
});
