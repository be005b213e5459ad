import {
  DomainError,
  exampleRecordOf,
  newId,
  streams,
  toPosition,
  type AccountId,
  type AffiliateId,
  type OpenAffiliateRecord,
  type DomainEvent,
  type EndpointFields,
  type Position,
  type StreamName,
} from '@refledger/contracts';
import {
  affiliateEvents,
  affiliateFields,
  LosableKeys,
  plainPersonalData,
} from '@refledger/domain/testing';
import {
  encodeEvent,
  UnreadableEvent,
  type EventLog,
  type LoggedEvent,
} from '@refledger/event-log';
import { present } from '@refledger/testing/present';
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

const logged = (
  event: DomainEvent,
  revision: number,
  stream: StreamName = streams.webhooks(accountId),
): LoggedEvent => {
  const metadata = { account_id: accountId, actor: 'k', request_id: 'r', recorded_at };
  return {
    ...encodeEvent(event, `e${revision}`, metadata),
    stream,
    revision,
    position: toPosition(String(revision)) as Position,
  };
};
const [one, other] = [newId('affiliate'), newId('affiliate')];
const created = (affiliate_id: AffiliateId, email: string): LoggedEvent =>
  logged(
    affiliateEvents.created(
      { affiliate_id, program_id: 'prog_spring' },
      { ...affiliateFields, email },
    ),
    0,
    streams.affiliate(affiliate_id),
  );
const renamed = (affiliate_id: AffiliateId, email: string, name: string): LoggedEvent => {
  const before = { ...affiliateFields, email };
  return logged(
    affiliateEvents.changed('affiliate.updated', { affiliate_id, program_id: 'prog_spring' }, [
      before,
      { ...before, name },
    ]),
    1,
    streams.affiliate(affiliate_id),
  );
};
const subscribed = logged({ type: 'webhook.subscribed', data: { endpoint_id, fields } }, 0);
const paused = (revision: number): LoggedEvent =>
  logged({ type: 'webhook.paused', data: { endpoint_id, before, fields } }, revision);

/** A log whose streams have these events, and how many of them were read. */
const streamOf = (...events: readonly LoggedEvent[]) => {
  const log = {
    read: 0,
    async *readStream(...[stream, range]: Parameters<EventLog['readStream']>) {
      const { from = 0, to = Number.MAX_SAFE_INTEGER } = range ?? {};
      const found = events.filter(
        (event) => event.stream === stream && event.revision >= from && event.revision <= to,
      );
      log.read += found.length;
      yield await Promise.resolve(found);
    },
  };
  return log;
};

it('reads nothing for the record of an endpoint, however long the stream of its account is', async () => {
  const log = streamOf(subscribed);
  const made = await new RecordMaker({ log, personalData: plainPersonalData }).make(
    paused(100_000),
  );
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
  const maker = new RecordMaker({
    log: streamOf(subscribed),
    personalData: plainPersonalData,
    isSkipped: (id) => id === broken.id,
  });
  expect(await maker.make(broken)).toBeUndefined();
  const strict = new RecordMaker({ log: streamOf(subscribed), personalData: plainPersonalData });
  await expect(strict.make(broken)).rejects.toThrow();
});

describe('personal values', () => {
  const batch = [
    created(one, 'one@example.com'),
    subscribed,
    created(other, 'other@example.com'),
    renamed(one, 'one@example.com', 'Countess'),
    paused(1),
  ];
  const given = () => {
    const personalData = new LosableKeys();
    return { personalData, maker: new RecordMaker({ log: streamOf(...batch), personalData }) };
  };
  const shown = [
    [one, 'one@example.com', 'Ada', 0],
    [other, 'other@example.com', 'Ada', 0],
    [one, 'one@example.com', 'Countess', 1],
    [endpoint_id, undefined, undefined, undefined],
  ];
  const shownIn = (records: readonly { readonly record: object }[]) =>
    records.map(({ record }) => {
      const { id, email, name, revision } = record as OpenAffiliateRecord;
      return [id, email, name, revision];
    });

  it('of a batch are opened in one call, and each record has those at its event', async () => {
    const { personalData, maker } = given();
    const { records, failure } = await maker.makeAll(batch);
    expect(failure).toBeUndefined();
    expect(shownIn(records)).toEqual(shown);
    expect(personalData.calls).toEqual([4]);
    expect(Object.keys(records[0]?.record ?? {})).toEqual(
      Object.keys(exampleRecordOf('affiliate.created')),
    );
  });

  it('that do not open fail the whole batch, which is no poison event, and can be made later', async () => {
    const { personalData, maker } = given();
    personalData.isLost = true;
    const failing = [() => maker.makeAll(batch), () => maker.make(created(one, 'one@example.com'))];
    for (const make of failing) {
      const failed = await make().catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(DomainError);
      expect(failed).toMatchObject({ code: 'unavailable' });
    }
    personalData.isLost = false;
    expect(shownIn((await maker.makeAll(batch)).records)).toEqual(shown);
  });

  it('are opened for the events before one that nothing can read', async () => {
    const { personalData, maker } = given();
    const [first, ...rest] = batch;
    const broken = { ...present(rest[1]), metadata: { ...subscribed.metadata, schema: 999 } };
    const { records, failure } = await maker.makeAll([present(first), broken]);
    expect(shownIn(records)).toEqual(shown.slice(0, 1));
    expect(failure).toMatchObject({ event: broken, error: expect.any(UnreadableEvent) as unknown });

    // an operator who skips it would lose what does not open either
    personalData.isLost = true;
    await expect(maker.makeAll([present(first), broken])).rejects.toThrow(DomainError);
  });
});
