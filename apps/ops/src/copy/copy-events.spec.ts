import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StreamName } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog, type EventLog, type LoggedEvent } from '@refledger/event-log';
import { digestEvents } from './compare-sides.js';
import { copiedSoFar, copyEvents, isCopied } from './copy-events.js';

const progress = { update: () => undefined, end: () => undefined };
const quiet = { progress, signal: new AbortController().signal };

describe('copying events', () => {
  let directory: string;
  let source: EventLog;
  let target: EventLog;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'refledger-copy-events-'));
    [source, target] = [await open('source'), await open('target')];
    // Given three streams, with the event of one between two events of another.
    await append(source, 'a', 2, 'no stream');
    await append(source, 'b', 1, 'no stream');
    await append(source, 'a', 150, 1);
    await append(source, 'c', 1, 'no stream');
  });
  afterEach(async () => {
    await Promise.all([source.close(), target.close()]);
    rmSync(directory, { recursive: true });
  });

  const open = (name: string) =>
    openEventLog(embeddedUrls.EVENT_LOG_URL, {
      dataDir: mkdtempSync(join(directory, name)),
      mode: 'write',
    });
  const append = (log: EventLog, stream: string, count: number, expected: number | 'no stream') => {
    const metadata = {
      account_id: null,
      actor: 'a',
      request_id: 'r',
      schema: 1,
      recorded_at: '2026-01-01T00:00:00.000Z',
    };
    const events = Array.from({ length: count }, (_, n) => ({
      id: randomUUID(),
      type: 'test',
      data: { n, text: 'ü€\u2028' },
      metadata,
    }));
    return log.append(`refledger.${stream}`, events, expected);
  };
  const eventsOf = async (log: EventLog): Promise<readonly Omit<LoggedEvent, 'position'>[]> => {
    const all: LoggedEvent[] = [];
    for await (const { events } of log.readAll()) all.push(...events.filter(isCopied));
    return all.map(({ position: _, ...event }) => event);
  };
  const copy = async (signal = quiet.signal): Promise<void> =>
    copyEvents({
      source: source,
      target: target,
      after: await copiedSoFar(source, target),
      progress,
      signal,
    });

  it('copies all events in order, with ids and revisions, and the target keeps its own log id', async () => {
    const { id } = target;
    await copy();
    expect(await eventsOf(target)).toEqual(await eventsOf(source));
    expect(target.id).toBe(id);
    expect(id).not.toBe(source.id);
    expect(await digestEvents(target, quiet)).toEqual(await digestEvents(source, quiet));
    expect(await digestEvents(target, quiet)).toMatchObject({ count: 154 });
  });

  it('continues where it was interrupted', async () => {
    for (let polls = 1; polls < 4; polls++) {
      let left = polls;
      const stopping = {
        throwIfAborted: () => {
          if (left-- === 0) throw new Error('stopped');
        },
      } as AbortSignal;
      await copy(stopping).catch((error: unknown) =>
        expect(error).toMatchObject({ message: 'stopped' }),
      );
    }
    await copy();
    expect(await eventsOf(target)).toEqual(await eventsOf(source));
  });

  it('rejects a target that ends with an event of its own', async () => {
    await append(target, 'd', 1, 'no stream');
    await expect(copiedSoFar(source, target)).rejects.toThrow(
      /data that is not from the source: test in refledger\.d/,
    );
  });

  it('rejects a target whose last event has another position in the source', async () => {
    await append(target, 'a', 1, 'no stream');
    await expect(copiedSoFar(source, target)).rejects.toThrow(/is not in the source/);
  });

  it('stops at an event that another writer appends meanwhile', async () => {
    await append(target, 'b', 1, 'no stream');
    await expect(
      copyEvents({ source: source, target: target, after: undefined, ...quiet }),
    ).rejects.toThrow(/refledger\.b is not at the revision before 0/);
    expect((await digestEvents(target, quiet)).hash).not.toBe(
      (await digestEvents(source, quiet)).hash,
    );
  });

  it('a digest covers every part of an event', async () => {
    await copy();
    const { hash } = await digestEvents(target, quiet);
    for (const change of [
      { id: 'x' },
      { type: 'x' },
      { data: {} },
      { revision: 99 },
      { stream: 'refledger.x' as StreamName },
      { metadata: {} as LoggedEvent['metadata'] },
    ]) {
      const changed = {
        head: () => target.head(),
        async *readAll() {
          for await (const { events, through } of target.readAll())
            yield {
              events: events.map((event, n) => (n === 3 ? { ...event, ...change } : event)),
              through,
            };
        },
      } as unknown as EventLog;
      expect((await digestEvents(changed, quiet)).hash).not.toBe(hash);
    }
  });
});
