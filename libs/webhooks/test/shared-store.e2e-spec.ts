import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newId, publicEventId, type EndpointId } from '@refledger/contracts';
import { databaseUrl, describeOnServer } from '@refledger/testing/servers';
import { eventually } from '@refledger/testing';
import type { Delivery, DeliveryStore } from '../src/stores/delivery-store.js';
import { openMongodbDeliveryStore } from '../src/stores/mongodb/index.js';
import { bench, newHarnessForEach, receiver, story } from './harness.js';

const program = fileURLToPath(new URL('dispatcher.child.mjs', import.meta.url));

describeOnServer('MongoDB', 'dispatchers that share a MongoDB', (server) => {
  newHarnessForEach();

  let url: string;
  let store: DeliveryStore;
  const endpoints: EndpointId[] = [];
  /** The events that happened, each of which must be delivered. */
  const ledger: string[] = [];
  const children: Awaited<ReturnType<typeof startChild>>[] = [];
  beforeEach(async () => {
    url = databaseUrl(server().url, `refledger-${randomUUID()}`);
    store = await openMongodbDeliveryStore({ url });
    // notes the store in the log, since the children can't write to the log
    await (await bench.start({ store })).stop();
    for (const path of ['/good', '/failing'])
      endpoints.push(await bench.subscribe(receiver.url(path), ['affiliate.created']));
    const seen = new Set<string>();
    receiver.answer('/failing', ({ headers }) =>
      seen.size === seen.add(String(headers['webhook-id'])).size ? 200 : 500,
    );
  });
  afterEach(async () => {
    for (const child of children.splice(0)) await child.kill();
    await store.close();
    endpoints.length = ledger.length = 0;
  });

  const startChild = async () => {
    const running = spawn(process.execPath, [program, join(bench.folder, 'events.db'), url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(running, 'exit');
    await once(running.stdout, 'data');
    return {
      signal: (signal: NodeJS.Signals) => running.kill(signal),
      kill: async (): Promise<void> => {
        running.kill('SIGCONT');
        running.kill('SIGKILL');
        await exited;
      },
    };
  };
  const start = async () => {
    const child = await startChild();
    children.push(child);
    return child;
  };
  const happen = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++)
      ledger.push(publicEventId(await story.createAffiliate(newId('affiliate'))));
  };
  const allDone = () =>
    eventually(
      async () =>
        expect(await store.counts()).toEqual({
          waiting: 0,
          sending: 0,
          succeeded: 2 * ledger.length,
          failed: 0,
          canceled: 0,
        }),
      { timeoutMs: 60_000, intervalMs: 100 },
    );
  const deliveries = async (): Promise<readonly Delivery[]> =>
    (
      await Promise.all(endpoints.map((endpointId) => store.list({ endpointId, limit: 1_000 })))
    ).flat();
  const expectTheLedgerReceived = async (): Promise<void> => {
    for (const path of ['/good', '/failing'])
      expect(
        new Set(receiver.at(path).map(({ headers }) => String(headers['webhook-id']))),
      ).toEqual(new Set(ledger));
    for (const { attempts } of await deliveries()) {
      // only the last attempt succeeded, and no dispatcher overwrote an attempt of another
      expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, i) => i + 1));
      expect(attempts.filter(({ outcome }) => outcome === 'succeeded')).toEqual([attempts.at(-1)]);
      expect(attempts.filter(({ outcome }) => outcome === null)).toEqual([]);
    }
  };

  it('one that is held still past its lease is replaced, and changes nothing when it wakes', async () => {
    const first = await start();
    await happen(20);
    await allDone();
    // the receiver holds its requests, so that the child is paused with deliveries in flight
    let answer: () => void = () => undefined;
    const held = new Promise<number>((resolve) => (answer = () => resolve(200)));
    receiver.answer('/good', () => held);
    await happen(5);
    await eventually(() => expect(receiver.at('/good')).toHaveLength(25));
    first.signal('SIGSTOP');
    receiver.answer('/good', () => 200);
    await start();
    await happen(20);
    await allDone();

    const before = await deliveries();
    expect(
      before.filter(({ attempts }) => attempts.some(({ outcome }) => outcome === 'unknown')).length,
    ).toBeGreaterThanOrEqual(5);
    answer();
    first.signal('SIGCONT');
    await happen(20);
    await allDone();

    const after = new Map((await deliveries()).map((delivery) => [delivery.id, delivery]));
    for (const delivery of before) expect(after.get(delivery.id)).toEqual(delivery);
    await expectTheLedgerReceived();
  });

  it('killed ones lose nothing, at any moment', async () => {
    const moments = Array.from({ length: 6 }, () => Math.random() * 300);
    let victim = await start();
    let other = await start();
    for (const moment of moments) {
      const happening = happen(15);
      await new Promise((resolve) => setTimeout(resolve, moment));
      await victim.kill();
      [victim, other] = [other, await start()];
      await happening;
    }
    await allDone();
    await expectTheLedgerReceived();
  });
});
