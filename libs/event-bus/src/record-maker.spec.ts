import {
  exampleRecordOf,
  newId,
  streams,
  toPosition,
  type AccountId,
  type DomainEvent,
  type EndpointFields,
  type Position,
} from '@refledger/contracts';
import { encodeEvent, type EventLog, type LoggedEvent } from '@refledger/event-log';
import { RecordMaker } from './record-maker.js';

const accountId: AccountId = newId('account');
const endpoint_id = newId('endpoint');
const recorded_at = '2026-01-31T09:30:00.000Z';
const fields: EndpointFields = {
  target_url: 'https://shop.example/hooks',
  target_key: 'https://shop.example/hooks',
  events: ['conversion.created'],
  description: null,
  secret: 'sealed',
  payload: 'full',
  max_per_second: null,
};
const before = {
  fields,
  status: 'enabled',
  disabled: null,
  failing_since: null,
  previous: null,
  created_at: recorded_at,
  updated_at: recorded_at,
} as const;

const logged = (event: DomainEvent, revision: number): LoggedEvent => {
  const metadata = { account_id: accountId, actor: 'k', request_id: 'r', recorded_at };
  return {
    ...encodeEvent(event, `e${revision}`, metadata),
    stream: streams.webhooks(accountId),
    revision,
    position: toPosition(String(revision)) as Position,
  };
};
const subscribed = logged({ type: 'webhook.subscribed', data: { endpoint_id, fields } }, 0);
const paused = (revision: number): LoggedEvent =>
  logged({ type: 'webhook.paused', data: { endpoint_id, before, fields } }, revision);

/** A log whose stream has these events, and how many of them were read. */
const streamOf = (...events: readonly LoggedEvent[]) => {
  const log = {
    read: 0,
    async *readStream(...[, range]: Parameters<EventLog['readStream']>) {
      const { from = 0, to = Number.MAX_SAFE_INTEGER } = range ?? {};
      const found = events.filter(({ revision }) => revision >= from && revision <= to);
      log.read += found.length;
      yield await Promise.resolve(found);
    },
  };
  return log;
};

it('reads nothing for the record of an endpoint, however long the stream of its account is', async () => {
  const log = streamOf(subscribed);
  const made = await new RecordMaker({ log }).make(paused(100_000));
  expect(made).toMatchObject({
    type: 'webhook.paused',
    key: accountId,
    revision: 100_000,
    record: { id: endpoint_id, status: 'paused' },
  });
  expect(Object.keys(made?.record ?? {})).toEqual(Object.keys(exampleRecordOf('webhook.paused')));
  expect(log.read).toBe(0);
});

it('makes no record of a skipped event, even if it is unreadable', async () => {
  const { data, metadata, ...rest } = paused(1);
  const broken = { ...rest, data, metadata: { ...metadata, schema: 999 } };
  const maker = new RecordMaker({ log: streamOf(subscribed), isSkipped: (id) => id === broken.id });
  expect(await maker.make(broken)).toBeUndefined();
  await expect(new RecordMaker({ log: streamOf(subscribed) }).make(broken)).rejects.toThrow();
});
