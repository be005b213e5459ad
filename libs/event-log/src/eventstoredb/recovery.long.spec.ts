import { eventually, scaledTimeout } from '@refledger/testing';
import type { DoubleServer } from '@refledger/testing/eventstoredb';
import { following } from '../../test/eventstoredb/following.js';
import { open, startCluster } from '../../test/eventstoredb/logs.js';
import { newEvents, newStream } from '../conformance/under-test.js';

// no time passes that an event processor would wait for
jest.mock('../event-processor/backoff.js', () => ({
  ...jest.requireActual<object>('../event-processor/backoff.js'),
  backoffMs: () => 3_600_000,
}));

/** Each makes the processors fail, and then lets the next node lead. */
const outages: readonly (readonly [string, (old: DoubleServer) => Promise<void> | void])[] = [
  ['no one leads', (old) => old.loseLeader()],
  ['each node names another leader', (old) => old.nameDifferentLeader()],
  ['the leader is killed', (old) => old.kill()],
];

it.each(outages)(
  'event processors are back with a cluster without calling it themselves: %s',
  async (_name, begin) => {
    const { nodes, url } = await startCluster();
    const log = await open(url, scaledTimeout(4_000));
    const processors = [await following(log), await following(log), await following(log)];
    let leader = nodes[0];
    const expected: string[] = [];
    for (const next of [nodes[1], nodes[2]]) {
      const events = newEvents(1);
      await eventually(() => log.append(newStream(), events, 'no stream'));
      expected.push(...events.map(({ id }) => id));
      for (const { becomes, handled } of processors) {
        await becomes('live');
        await eventually(() => expect(handled).toEqual(expected));
      }

      await begin(leader);
      for (const { becomes } of processors) await becomes('retrying');
      next.lead();
      // from here on only the probe calls the log
      for (const { becomes } of processors) await becomes('live');
      expect(log.availability?.failure).toBeUndefined();
      leader = next;
    }
  },
);
