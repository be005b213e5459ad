import { newId, type Position } from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';
import { Storyteller } from '@refledger/event-bus/conformance';
import { openLogBus } from '@refledger/event-bus/log';
import { CommandHandler } from '@refledger/event-log';
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
    runner: new CommandHandler(log, { patienceMs: 0 }),
    lostEvents: { cancel: () => Promise.resolve(0) },
  });
};

it('admits a first start and notes the store; then that store and no other', async () => {
  expect(await guard('one').admit()).toBeUndefined();
  expect(await guard('one').admit()).toBeUndefined();
  expect(await bench.eventsOf('processor.opened')).toBe(1);
  expect(await guard('two').admit()).toContain('kept in store one, and this is two');
  expect(await guard('two').decided()).toBe(false);
});

it('follows a decision again after a crash that left it half done, to the same offset', async () => {
  const story = new Storyteller(bench.log);
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
  await story.createAffiliate(newId('affiliate'));
  expect(await guard('two', resets).admit()).toBeUndefined();
  expect(resets).toHaveLength(2);
  expect(resets[1]).toEqual(resets[0]);
  expect(resets[0]?.[1]).toBe(decidedAt);
  expect(await guard('two', resets).admit()).toBeUndefined();
  expect(resets).toHaveLength(2);
});

it('forgets a decision that was not needed, so that no later stop follows it', async () => {
  const resets: [readonly Offset[], Position | undefined][] = [];
  await guard('one', resets).admit();
  await bench.decide({ type: 'resume', from: 'start' });
  expect(await guard('one', resets).admit()).toBeUndefined();
  expect(await guard('one', resets).forgetDecision()).toBe('start');
  expect(await guard('one', resets).forgetDecision()).toBeUndefined();
  expect(await guard('two', resets).admit()).toContain('kept in store one, and this is two');
  expect(resets).toEqual([]);
});

it('knows what was skipped once it has looked', async () => {
  const one = guard('one');
  await one.admit();
  await bench.decide({ type: 'skip', event_id: 'poison', position: '3' as Position });
  expect(one.isSkipped('poison')).toBe(false);
  await one.look();
  expect(one.isSkipped('poison')).toBe(true);
});
