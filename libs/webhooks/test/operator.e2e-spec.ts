import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@refledger/contracts';
import { pendingDecision, pendingStop } from '@refledger/domain';
import { embeddedUrls } from '@refledger/engines';
import { waitFor } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { bench, newHarnessForEach, receiver, writer } from './harness.js';
import {
  DeliveryStoreError,
  type DeliveryStore,
  openDeliveryStore,
} from '@refledger/delivery-store';
import { type Running } from './workbench.js';

newHarnessForEach();

describe('an operator’s decision', () => {
  const stopped = (running: Running) =>
    waitFor(() => running.dispatcher.status().state === 'stopped');
  const delivered = async (endpointStore: Running, url: string) => {
    await waitFor(() => receiver.requestsTo(url).length > 0);
    await bench.caughtUp(endpointStore);
    return receiver
      .requestsTo(url)
      .map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name);
  };

  it('is required when the store is missing; head omits earlier events', async () => {
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const first = await bench.start();
    await writer.createAffiliate(newId('affiliate'), 'old');
    await waitFor(() => receiver.received.length === 1);
    await first.stop();
    await writer.createAffiliate(newId('affiliate'), 'missed');
    const second = await bench.start({ within: 'another' });
    await stopped(second);
    expect(bench.logged.filter(({ level }) => level === 'error')[0]?.message).toContain(
      'ops resume webhook-dispatcher --from start|head|<position>',
    );
    expect(receiver.received).toHaveLength(1);
    await bench.decide({ type: 'resume', from: 'head' });
    await waitFor(() => second.dispatcher.status().state === 'running');
    await writer.createAffiliate(newId('affiliate'), 'new');
    await waitFor(() => receiver.received.length === 2);
    expect(await delivered(second, '/hook')).toEqual(['old', 'new']);
    await second.stop();
    const third = await bench.start({ within: 'another' });
    await waitFor(() => third.dispatcher.status().state === 'running');
  });

  it('is awaited without a change of the store, even if the dispatcher is ended meanwhile', async () => {
    const first = await bench.start();
    await waitFor(() => first.dispatcher.status().state === 'running');
    await first.stop();
    const dataDir = join(bench.directory, 'another');
    mkdirSync(dataDir);
    const opened = await openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, { dataDir });
    const recovered: string[] = [];
    const store: DeliveryStore = {
      ...opened,
      recoverLeftBy: (holder) => Promise.resolve(recovered.push(holder)),
    };
    const second = await bench.start({ store });
    await stopped(second);
    await second.stop();
    await opened.close();
    expect(recovered).toEqual([]);
  });

  it('cannot help while the store is damaged: the dispatcher has stopped until its next start', async () => {
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const opened = await openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, {
      dataDir: bench.directory,
    });
    const store: DeliveryStore = {
      ...opened,
      plan: () => Promise.reject(new DeliveryStoreError('damaged', 'deliveries.db: corrupt')),
    };
    const running = await bench.start({ store });
    await waitFor(() => running.dispatcher.status().state === 'running');
    await writer.createAffiliate(newId('affiliate'), 'unplanned');
    await stopped(running);
    expect(running.dispatcher.status().reason).toBe('deliveries.db: corrupt');
    expect(bench.logged.filter(({ level }) => level === 'error')).toHaveLength(1);
    await running.stop();
    await opened.close();
  });

  it('may be the start: everything is sent again', async () => {
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const first = await bench.start();
    await writer.createAffiliate(newId('affiliate'), 'one');
    await waitFor(() => receiver.received.length === 1);
    await first.stop();
    const second = await bench.start({ within: 'another' });
    await stopped(second);
    await bench.decide({ type: 'resume', from: 'start' });
    await waitFor(() => receiver.received.length === 2);
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body);
  });

  it('may be a position: later events are sent; one beyond the log is rejected', async () => {
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const first = await bench.start();
    await writer.createAffiliate(newId('affiliate'), 'one');
    await writer.createAffiliate(newId('affiliate'), 'two');
    await waitFor(() => receiver.received.length === 2);
    await first.stop();
    const { position } = JSON.parse(present(receiver.received[0]).body) as { position: string };
    const second = await bench.start({ within: 'another' });
    await stopped(second);
    await bench.decide({ type: 'resume', from: '999999' });
    await bench.decide({ type: 'resume', from: position });
    await waitFor(() => receiver.received.length === 3);
    expect((await delivered(second, '/hook')).at(-1)).toBe('two');
  });

  it('is required when the log has another event at the offset, and the same store continues', async () => {
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const first = await bench.start();
    await writer.createAffiliate(newId('affiliate'), 'one');
    // a stop may cut an attempt off before its outcome is written, and it is repeated then
    await waitFor(async () => (await first.store.counts()).succeeded === 1);
    await bench.caughtUp(first);
    await first.stop();
    await bench.tearOffset();
    const second = await bench.start();
    await stopped(second);
    expect(second.dispatcher.status().reason).toContain('a different event at position');
    await bench.decide({ type: 'resume', from: 'head' });
    await waitFor(() => second.dispatcher.status().state === 'running');
    await writer.createAffiliate(newId('affiliate'), 'two');
    await waitFor(() => receiver.received.length === 2);
    expect(await delivered(second, '/hook')).toEqual(['one', 'two']);
  });

  it('that is made while the dispatcher runs is discarded and logged, not kept until the store is lost', async () => {
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const first = await bench.start();
    await waitFor(() => first.dispatcher.status().state === 'running');
    await bench.decide({ type: 'resume', from: 'head' });
    await waitFor(() => bench.logged.some(({ level }) => level === 'warn'));
    expect(pendingDecision(await bench.recorded())).toBeUndefined();
    expect(bench.logged.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message:
          'the decision to resume from head is ignored: the webhook-dispatcher has a valid offset',
      },
    ]);
    await writer.createAffiliate(newId('affiliate'), 'one');
    await waitFor(() => receiver.received.length === 1);
    await first.stop();
    const second = await bench.start({ within: 'another' });
    await stopped(second);
    expect(second.dispatcher.status().reason).toContain('the recorded store is missing');
  });

  it('is about one stop: twice for the same one leaves nothing for a later loss', async () => {
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const first = await bench.start();
    await waitFor(() => first.dispatcher.status().state === 'running');
    await first.stop();
    const second = await bench.start({ within: 'another' });
    await stopped(second);
    const stop = pendingStop(await bench.recorded());
    await bench.decide({ type: 'resume', from: 'head', stop });
    await waitFor(() => second.dispatcher.status().state === 'running');
    await expect(bench.decide({ type: 'resume', from: 'head', stop })).rejects.toThrow(
      'webhook-dispatcher no longer waits for this decision',
    );
    await second.stop();
    const third = await bench.start({ within: 'a third' });
    await stopped(third);
  });

  it('a skip moves past an unreadable event', async () => {
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created', 'affiliate.updated']);
    const running = await bench.start();
    const affiliate = newId('affiliate');
    await writer.createAffiliate(affiliate, 'one');
    await waitFor(() => receiver.received.length === 1);
    const eventId = await writer.breakAffiliate(affiliate);
    await writer.createAffiliate(newId('affiliate'), 'two');
    await stopped(running);
    expect(running.dispatcher.status().reason).toContain('ops skip webhook-dispatcher');
    const head = await bench.log.head();
    await bench.decide({ type: 'skip', event_id: eventId, position: present(head) });
    await waitFor(() => receiver.received.length === 2);
    expect(await delivered(running, '/hook')).toEqual(['one', 'two']);
  });
});
