import { webhookEndpointSchema } from '@refledger/contracts';
import { instantOf, given, when } from '../../test/scenario.js';
import {
  idOf,
  paused,
  recorded,
  subscribed,
  before,
  unsubscribed,
} from '../../test/webhook-endpoints.js';
import { webhookEndpointsAggregate } from './webhook-endpoints.aggregate.js';
import { webhookEndpointsDecider } from './webhook-endpoints.decider.js';

const target = { target_url: 'https://a.example.com/hook?token=hidden' };

it('the record is that of the endpoint of the event, without the query of its target', () => {
  const fold = [subscribed('a', target), subscribed('b')]
    .map(recorded)
    .reduce((before, event) => before.evolve(event), webhookEndpointsAggregate);
  expect(fold.record).toMatchObject({ id: idOf('b'), status: 'enabled' });
  const { record } = fold.evolve(recorded(paused('a', target), 2));
  expect(record).toMatchObject({
    id: idOf('a'),
    status: 'paused',
    target_url: 'https://a.example.com/hook',
    updated_at: instantOf(2),
  });
  expect(Object.keys(record ?? {})).toEqual(Object.keys(webhookEndpointSchema.shape));
});

it('follows from the event alone', () => {
  const before = given(webhookEndpointsDecider, subscribed('a', target));
  const command = {
    type: 'rotate',
    endpoint_id: idOf('a'),
    secret: 'sealed next',
    overlap_ms: 60_000,
    now: instantOf(1),
  } as const;
  const events = when(webhookEndpointsDecider, before, command);
  const [rotated] = events.map((event) => recorded(event, 1));
  const folded = webhookEndpointsAggregate.evolve(recorded(subscribed('a', target), 0));
  expect(rotated && webhookEndpointsAggregate.recordAlone?.(rotated)).toEqual(
    rotated && folded.evolve(rotated).record,
  );
  expect(rotated && folded.evolve(rotated).record?.secret_rotation).toEqual({
    signs_until: instantOf(61),
  });
  expect(webhookEndpointsAggregate.recordAlone?.(recorded(unsubscribed('a'), 2))).toBeUndefined();
});

it('has only a rotation that still signs at the time of the event', () => {
  const previous = { secret: 'sealed new', signs_until: instantOf(2) };
  const rotated = {
    type: 'webhook.secret_rotated',
    data: { endpoint_id: idOf('a'), before, secret: 'sealed next', previous },
  } as const;
  const states = [subscribed('a'), rotated, paused('a')].map(recorded);
  const records: unknown[] = [];
  states.reduce((before, event) => {
    const after = before.evolve(event);
    records.push(after.record?.secret_rotation);
    return after;
  }, webhookEndpointsAggregate);
  expect(records).toEqual([null, { signs_until: instantOf(2) }, null]);
});
