import { newId, type Position } from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';
import { EventWriter } from '@refledger/event-bus/conformance';
import { openLogBus } from '@refledger/event-bus/log';
import { CommandHandler } from '@refledger/application';
import { StartupGuard } from '../src/planning/startup-guard.js';
import { Workbench } from './workbench.js';

let bench: Workbench;
beforeEach(async () => {
  bench = await Workbench.open();
});
afterEach(() => bench.close());

const guard = (
  id: string,
  resets: [readonly Offset[], Position | undefined][] = [],
  log = bench.log,
) => {
  const resetOffsets = (offsets: readonly Offset[], floor: Position | undefined) =>
    Promise.resolve(void resets.push([offsets, floor]));
  return new StartupGuard({
    log,
    bus: openLogBus({ log: bench.log }),
    store: { id, resetOffsets },
    commands: new CommandHandler(log, { timeoutMs: 0 }),
    lostEvents: { cancel: () => Promise.resolve(0) },
  });
};

it('admits a first start and records the store, and then admits only that store', async () => {
  expect(await guard('one').admit()).toBeUndefined();
  expect(await guard('one').admit()).toBeUndefined();
  expect(await bench.eventsOf('processor.opened')).toBe(1);
  expect(await guard('two').admit()).toContain('delivery store one, but this is two');
  expect(await guard('two').applyDecision()).toBe(false);
});

it('applies a decision again after a crash, with the same offset', async () => {
  const writer = new EventWriter(bench.log);
  await guard('one').admit();
  await bench.decide({ type: 'resume', from: 'head' });
  const decidedAt = await bench.log.head();
  const resets: [readonly Offset[], Position | undefined][] = [];
  const broken = new Proxy(bench.log, {
    get: (log, name) =>
      name === 'append'
        ? () => Promise.reject(new Error('killed'))
        : (Reflect.get(log, name, log) as unknown),
  });
  await expect(guard('two', resets, broken).admit()).rejects.toThrow('killed');
  await writer.createAffiliate(newId('affiliate'));
  expect(await guard('two', resets).admit()).toBeUndefined();
  expect(resets).toHaveLength(2);
  expect(resets[1]).toEqual(resets[0]);
  expect(resets[0]?.[1]).toBe(decidedAt);
  expect(await guard('two', resets).admit()).toBeUndefined();
  expect(resets).toHaveLength(2);
});

it('discards a decision that was not needed, so that no later stop applies it', async () => {
  const resets: [readonly Offset[], Position | undefined][] = [];
  await guard('one', resets).admit();
  await bench.decide({ type: 'resume', from: 'start' });
  expect(await guard('one', resets).admit()).toBeUndefined();
  expect(await guard('one', resets).forgetDecision()).toBe('start');
  expect(await guard('one', resets).forgetDecision()).toBeUndefined();
  expect(await guard('two', resets).admit()).toContain('delivery store one, but this is two');
  expect(resets).toEqual([]);
});

it('knows skipped events once it has read the decisions', async () => {
  const one = guard('one');
  await one.admit();
  await bench.decide({ type: 'skip', event_id: 'poison', position: '3' as Position });
  expect(one.isSkipped('poison')).toBe(false);
  await one.poll();
  expect(one.isSkipped('poison')).toBe(true);
});
