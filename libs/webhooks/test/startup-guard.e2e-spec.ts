import { newId, type Position } from '@refledger/contracts';
import { plainPersonalData } from '@refledger/domain/testing';
import type { Offset } from '@refledger/event-bus';
import { EventWriter } from '@refledger/event-bus/conformance';
import { openLogBus } from '@refledger/event-bus/log';
import { CommandHandler } from '@refledger/application';
import { StartupGuard } from '../src/planning/startup-guard.js';
import { Workbench } from './workbench.js';

let bench: Workbench;
let warnings: string[];
beforeEach(async () => {
  warnings = [];
  bench = await Workbench.open();
});
afterEach(() => bench.close());

const guard = (
  id: string,
  resets: [readonly Offset[], Position | undefined][] = [],
  log = bench.log,
  stored: readonly Offset[] = [],
) => {
  const resetOffsets = (offsets: readonly Offset[], floor: Position | undefined) =>
    Promise.resolve(void resets.push([offsets, floor]));
  return new StartupGuard({
    log,
    bus: openLogBus({ log: bench.log, personalData: plainPersonalData }),
    store: { id, offsets: () => Promise.resolve(stored), resetOffsets },
    commands: new CommandHandler(log, { timeoutMs: 0 }),
    lostEvents: { cancel: () => Promise.resolve(0) },
    logger: { warn: (_, message) => void warnings.push(message) },
  });
};

it('admits a first start and records the store, and then admits only that store', async () => {
  expect(await guard('one').admit()).toBeUndefined();
  expect(await guard('one').admit()).toBeUndefined();
  expect(await bench.eventsOf('processor.opened')).toBe(1);
  expect(await guard('two').admit()).toContain('delivery store one, but this is two');
});

const none: ReadonlySet<string> = new Set();
const stopped = (present: string | null, checkpoint: string[] = []) => ({
  recorded_store: 'one',
  present_store: present,
  checkpoint,
});

it('applies a decision again after a crash, with the same offset', async () => {
  const writer = new EventWriter(bench.log);
  await guard('one').admit();
  await guard('two').admit();
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
  expect(await guard('one', resets).discardDecision(none)).toBe('start');
  expect(await guard('one', resets).discardDecision(none)).toBeUndefined();
  expect(await guard('two', resets).admit()).toContain('delivery store one, but this is two');
  expect(resets).toEqual([]);
});

it('discards a decision about another stop, and waits for one about this stop', async () => {
  const resets: [readonly Offset[], Position | undefined][] = [];
  await guard('one', resets).admit();
  await guard('two', resets).admit();
  await bench.decide({ type: 'resume', from: 'head' });
  const three = guard('three', resets);
  expect(await three.admit()).toContain('delivery store one, but this is three');
  expect(warnings).toEqual([
    'the decision to resume from head is ignored: it is not about this stop',
  ]);
  expect(await three.admit()).toContain('delivery store one, but this is three');
  expect(await bench.eventsOf('processor.stopped')).toBe(2);
  expect(resets).toEqual([]);
  await bench.decide({ type: 'resume', from: 'start' });
  expect(await three.admit()).toBeUndefined();
  expect(resets).toHaveLength(1);
});

it('takes a decision about a missing store for one about the store that was created since', async () => {
  const resets: [readonly Offset[], Position | undefined][] = [];
  await guard('one', resets).admit();
  const lost = stopped(null);
  await bench.stop(lost);
  await bench.decide({ type: 'resume', from: 'start', stop: lost });
  const offset = { source: 'log', partition: 'log', offset: '7' };
  expect(await guard('old', resets, bench.log, [offset]).admit()).toContain('but this is old');
  expect(resets).toEqual([]);
  await bench.stop(lost);
  await bench.decide({ type: 'resume', from: 'start', stop: lost });
  expect(await guard('new', resets).admit()).toBeUndefined();
  expect(resets).toHaveLength(1);
});

describe('at an offset that the bus does not have', () => {
  const at = (offset: string) => [{ source: 'log', partition: 'log', offset, mark: 'm' }];

  it('waits for a decision about this offset, which any dispatcher of the store carries out', async () => {
    const resets: [readonly Offset[], Position | undefined][] = [];
    const [one, other] = [guard('one', resets, bench.log, at('7')), guard('one', resets)];
    await one.admit();
    await other.admit();
    const decided = one.waitingAt('log');
    const decidedElsewhere = other.waitingAt('another');
    expect(await decided()).toBe(false);
    expect(await decided()).toBe(false);
    expect((await bench.recorded()).stopped?.stop).toEqual(stopped('one', ['log log 7 m']));
    expect(await decidedElsewhere()).toBe(false);
    expect((await bench.recorded()).stopped?.stop).toEqual(stopped('one', ['another none']));
    expect(await decided()).toBe(false);
    expect(await bench.eventsOf('processor.stopped')).toBe(2);
    await bench.decide({ type: 'resume', from: 'start' });
    expect(await decided()).toBe(true);
    expect(resets).toHaveLength(1);
    expect(await decidedElsewhere()).toBe(true);
    expect(resets).toHaveLength(1);
  });

  it('is over once the bus accepts it, and a decision about it is discarded', async () => {
    const one = guard('one', [], bench.log, at('7'));
    await one.admit();
    await one.waitingAt('log')();
    const stop = stopped('one', ['log log 7 m']);
    await bench.decide({ type: 'resume', from: 'head', stop });
    // as long as another partition is assigned, this one may wait at another dispatcher
    expect(await one.discardDecision(new Set(['another']))).toBeUndefined();
    expect(await one.discardDecision(new Set(['log']))).toBe('head');
    await one.waitingAt('log')();
    expect(await one.discardDecision(new Set(['log']))).toBeUndefined();
    await expect(bench.decide({ type: 'resume', from: 'head', stop })).rejects.toThrow(
      'no longer waits for this decision',
    );
  });

  it('discards a decision about an earlier offset while it runs', async () => {
    const one = guard('one', [], bench.log, at('7'));
    await one.admit();
    await one.waitingAt('log')();
    await bench.decide({ type: 'resume', from: 'head' });
    expect(await guard('one', [], bench.log, at('7')).discardDecision(none)).toBeUndefined();
    expect(await guard('one', [], bench.log, at('8')).discardDecision(none)).toBe('head');
  });
});

it('knows skipped events once it has read the decisions', async () => {
  const one = guard('one');
  await one.admit();
  await bench.decide({ type: 'skip', event_id: 'poison', position: '3' as Position });
  expect(one.isSkipped('poison')).toBe(false);
  await one.poll();
  expect(one.isSkipped('poison')).toBe(true);
});
