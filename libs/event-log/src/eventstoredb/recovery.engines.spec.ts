import { eventually } from '@refledger/testing';
import { following } from '../../test/eventstoredb/following.js';
import { open, startDouble } from '../../test/eventstoredb/logs.js';
import { batchesOf, newEvents, newStream } from '../conformance/under-test.js';

// no time passes that an event processor would wait for
jest.mock('../event-processor/backoff.js', () => ({
  ...jest.requireActual<object>('../event-processor/backoff.js'),
  backoffMs: () => 3_600_000,
}));

it('event processors try again as soon as any call on the log succeeds again', async () => {
  const double = await startDouble();
  const log = await open(double.url);
  await log.append(newStream(), newEvents(1), 'no stream');
  // a subscription that its reader ends has not failed
  const stop = new AbortController();
  const ended = batchesOf(log.subscribe({ after: await log.head(), signal: stop.signal }));
  await new Promise(setImmediate);
  stop.abort();
  await ended;
  expect(log.availability?.failure).toBeUndefined();
  const processors = [await following(log), await following(log)];
  for (const { becomes } of processors) await becomes('live');

  await double.kill();
  for (const { becomes } of processors) await becomes('retrying');
  expect(log.availability?.failure).toMatch(/EventStoreDB at .* is unreachable/);
  await double.start();

  await eventually(() => log.head());
  expect(log.availability?.failure).toBeUndefined();
  const events = newEvents(1);
  await log.append(newStream(), events, 'no stream');
  for (const { becomes, handled } of processors) {
    await becomes('live');
    await eventually(() => expect(handled).toEqual(events.map(({ id }) => id)));
  }
});
