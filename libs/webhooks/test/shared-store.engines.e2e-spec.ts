import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { newId, publicEventId, type EndpointId } from '@refledger/contracts';
import { databaseUrl, describeOnServer } from '@refledger/testing/servers';
import { eventually, itInFull, Random, testSeed } from '@refledger/testing';
import { type Delivery, type DeliveryStore, openDeliveryStore } from '@refledger/delivery-store';
import { bench, newHarnessForEach, receiver, writer } from './harness.js';

const program = fileURLToPath(new URL('dispatcher.child.mjs', import.meta.url));

describeOnServer('MongoDB', 'dispatchers that share a MongoDB', (server) => {
  newHarnessForEach();

  let url: string;
  let store: DeliveryStore;
  const endpoints: EndpointId[] = [];
  /** The events that happened, each of which must be delivered. */
  const ledger: string[] = [];
  const children: { readonly kill: () => Promise<void> }[] = [];
  beforeEach(async () => {
    url = databaseUrl(server().url, `refledger-${randomUUID()}`);
    store = await openDeliveryStore(url, { dataDir: bench.directory });
    // records the store in the log, since the children can't write to the log
    await (await bench.start({ store })).stop();
    for (const path of ['/good', '/failing'])
      endpoints.push(await bench.subscribe(receiver.url(path), ['affiliate.created']));
    const seen = new Set<string>();
    receiver.respond('/failing', ({ headers }) =>
      seen.size === seen.add(String(headers['webhook-id'])).size ? 200 : 500,
    );
  });
  afterEach(async () => {
    for (const child of children.splice(0)) await child.kill();
    await store.close();
    endpoints.length = ledger.length = 0;
  });

  const start = async () => {
    const running = spawn(process.execPath, [program, bench.directory, url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(running, 'exit');
    const child = {
      signal: (signal: NodeJS.Signals) => running.kill(signal),
      kill: async (): Promise<void> => {
        running.kill('SIGCONT');
        running.kill('SIGKILL');
        await exited;
      },
    };
    children.push(child);
    await once(running.stdout, 'data');
    return child;
  };
  const happen = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++)
      ledger.push(publicEventId(await writer.createAffiliate(newId('affiliate'))));
  };
  const allDone = () =>
    eventually(
      async () =>
        expect(await store.counts()).toEqual({
          waiting: 0,
          held: 0,
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
  /** The ids of the events that arrived there, each once, however often it was sent. */
  const receivedAt = (path: string): ReadonlySet<string> =>
    new Set(receiver.requestsTo(path).map(({ headers }) => String(headers['webhook-id'])));
  const expectTheLedgerReceived = async (): Promise<void> => {
    for (const path of ['/good', '/failing']) expect(receivedAt(path)).toEqual(new Set(ledger));
    for (const { attempts } of await deliveries()) {
      // only the last attempt succeeded, and no dispatcher overwrote an attempt of another
      expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, i) => i + 1));
      expect(attempts.filter(({ outcome }) => outcome === 'succeeded')).toEqual([attempts.at(-1)]);
      expect(attempts.filter(({ outcome }) => outcome === null)).toEqual([]);
    }
  };

  itInFull(
    'one that is suspended past its lease is replaced, and changes nothing when it resumes',
    async () => {
      const first = await start();
      await happen(20);
      await allDone();
      // the receiver holds its requests, so that the child is paused with deliveries in flight
      let respond: () => void = () => undefined;
      const held = new Promise<number>((resolve) => (respond = () => resolve(200)));
      receiver.respond('/good', () => held);
      await happen(5);
      await eventually(() => expect(receivedAt('/good').size).toBe(25));
      first.signal('SIGSTOP');
      receiver.respond('/good', () => 200);
      await start();
      await happen(20);
      await allDone();

      const before = await deliveries();
      expect(
        before.filter(({ attempts }) => attempts.some(({ outcome }) => outcome === 'unknown'))
          .length,
      ).toBeGreaterThanOrEqual(5);
      respond();
      first.signal('SIGCONT');
      await happen(20);
      await allDone();

      const after = new Map((await deliveries()).map((delivery) => [delivery.id, delivery]));
      for (const delivery of before) expect(after.get(delivery.id)).toEqual(delivery);
      await expectTheLedgerReceived();
    },
  );

  it('killed ones lose nothing, whenever they are killed', async () => {
    const random = new Random(testSeed);
    const moments = Array.from({ length: 6 }, () => random.intBelow(300));
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
