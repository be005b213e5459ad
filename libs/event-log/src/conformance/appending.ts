/// <reference types="jest" />
import { randomUUID } from 'node:crypto';
import { comparePositions, type StreamName } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import { maxAppendBytes } from '../encode-append.js';
import {
  batchesOf,
  eventsOf,
  faultOf,
  idsOf,
  newEvent,
  newEvents,
  newStream,
  type LogHandles,
} from './under-test.js';

export const appending = (handles: () => LogHandles): void => {
  describe('append', () => {
    it('returns the revision and position of the last event', async () => {
      const { log } = handles();
      const [stream, events] = [newStream(), newEvents(3)];
      const appended = await log.append(stream, events, 'no stream');
      expect(appended.revision).toBe(2);
      expect(await log.eventAt(present(appended.position))).toMatchObject({
        id: present(events[2]).id,
        stream,
        revision: 2,
        position: appended.position,
      });
      expect((await log.append(stream, newEvents(1), 2)).revision).toBe(3);
    });

    it('conflicts with a stream at another revision, naming it, and writes nothing', async () => {
      const { log } = handles();
      const stream = newStream();
      expect(await faultOf(log.append(stream, newEvents(1), 0))).toEqual({
        kind: 'wrong_revision',
        stream,
        expected: 0,
        actual: 'no stream',
      });
      await log.append(stream, newEvents(2), 'no stream');
      expect(await faultOf(log.append(stream, newEvents(1), 'no stream'))).toEqual({
        kind: 'wrong_revision',
        stream,
        expected: 'no stream',
        actual: 1,
      });
      expect(await faultOf(log.append(stream, newEvents(1), 0))).toEqual({
        kind: 'wrong_revision',
        stream,
        expected: 0,
        actual: 1,
      });
      expect(await faultOf(log.append(stream, newEvents(1), 7))).toEqual({
        kind: 'wrong_revision',
        stream,
        expected: 7,
        actual: 1,
      });
      expect(await eventsOf(log.readStream(stream))).toHaveLength(2);
    });

    it('lets exactly one of many concurrent appends to a stream win', async () => {
      const { log, another } = handles();
      const other = await another();
      const stream = newStream();
      for (const expected of ['no stream', 0, 1] as const) {
        const outcomes = await Promise.allSettled(
          Array.from({ length: 40 }, (_, n) =>
            (n % 2 === 0 ? log : other).append(stream, newEvents(1), expected),
          ),
        );
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        const actual = expected === 'no stream' ? 0 : expected + 1;
        for (const outcome of outcomes)
          if (outcome.status === 'rejected')
            expect(outcome.reason).toMatchObject({ fault: { kind: 'wrong_revision', actual } });
      }
      expect((await eventsOf(log.readStream(stream))).map(({ revision }) => revision)).toEqual([
        0, 1, 2,
      ]);
    });

    it('lets one of two requests that derive the same stream win; the other sees a conflict', async () => {
      const { log, another } = handles();
      const other = await another();
      const stream = newStream();
      const requests = [newEvent({ request: 'one' }), newEvent({ request: 'two' })];
      const outcomes = await Promise.allSettled([
        log.append(stream, [present(requests[0])], 'no stream'),
        other.append(stream, [present(requests[1])], 'no stream'),
      ]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const winner = present(requests[outcomes.findIndex(({ status }) => status === 'fulfilled')]);
      expect(await eventsOf(other.readStream(stream))).toMatchObject([
        { id: winner.id, data: winner.data },
      ]);
    });

    it('gives a repeated append the result of the first, whatever was appended since', async () => {
      const { log, another, reopen } = handles();
      const stream = newStream();
      const [first, second, third] = [newEvents(2), newEvents(3), newEvents(1)];
      const responses = [
        await log.append(stream, first, 'no stream'),
        await log.append(stream, second, 1),
      ];
      expect(await log.append(stream, second, 1)).toEqual(responses[1]);
      await log.append(stream, third, 4);
      expect([
        await log.append(stream, first, 'no stream'),
        await (await another()).append(stream, second, 1),
      ]).toEqual(responses);
      const reopened = await reopen();
      expect([
        await reopened.append(stream, first, 'no stream'),
        await reopened.append(stream, second, 1),
      ]).toEqual(responses);
      expect((await eventsOf(reopened.readStream(stream))).map(({ id }) => id)).toEqual(
        [...first, ...second, ...third].map(({ id }) => id),
      );
    });

    it('writes identical concurrent appends once and gives all the same result', async () => {
      const { log, another } = handles();
      const other = await another();
      const [stream, events] = [newStream(), newEvents(2)];
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 === 0 ? log : other).append(stream, events, 'no stream'),
        ),
      );
      expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
      expect(await eventsOf(log.readStream(stream))).toHaveLength(2);
    });

    it('recognizes only a complete repeat', async () => {
      const { log } = handles();
      const stream = newStream();
      const [a, b, c] = newEvents(3) as [
        ReturnType<typeof newEvent>,
        ReturnType<typeof newEvent>,
        ReturnType<typeof newEvent>,
      ];
      await log.append(stream, [a, b], 'no stream');
      for (const events of [[a, b, c], [a, c], [b], [b, a]]) {
        expect(await faultOf(log.append(stream, events, 'no stream'))).toMatchObject({
          kind: 'wrong_revision',
          actual: 1,
        });
      }
      expect((await log.append(stream, [a], 'no stream')).revision).toBe(0);
      expect(await eventsOf(log.readStream(stream))).toHaveLength(2);
    });

    it('writes several events atomically', async () => {
      const { log } = handles();
      const stream = newStream();
      await log.append(stream, newEvents(1), 'no stream');
      const head = await log.head();
      const [right, wrong] = [newEvents(5), newEvents(5)];
      const outcomes = await Promise.allSettled([
        log.append(stream, wrong, 3),
        log.append(stream, right, 0),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
      expect(idsOf(await batchesOf(log.readAll({ after: head })))).toEqual(
        right.map(({ id }) => id),
      );
    });

    it('lets each of many waiting appends succeed or fail on its own', async () => {
      const { log } = handles();
      const names = Array.from({ length: 50 }, () => newStream());
      const outcomes = await Promise.allSettled(
        names.map((stream, n) => log.append(stream, newEvents(1), n % 3 === 0 ? 5 : 'no stream')),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(
        names.map((_, n) => (n % 3 === 0 ? 'rejected' : 'fulfilled')),
      );
      for (const [n, stream] of names.entries())
        expect(await eventsOf(log.readStream(stream))).toHaveLength(n % 3 === 0 ? 0 : 1);
    });

    it('keeps the order of successive appends, even across streams', async () => {
      const { log } = handles();
      const head = await log.head();
      const [streamA, streamB] = [newStream('a'), newStream('b')];
      const events = newEvents(20);
      for (const [n, event] of events.entries())
        await log.append(
          n % 2 === 0 ? streamA : streamB,
          [event],
          n < 2 ? 'no stream' : Math.floor(n / 2) - 1,
        );
      const all = (await batchesOf(log.readAll({ after: head }))).flatMap((batch) => batch.events);
      expect(all.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
      for (const [n, event] of all.slice(1).entries())
        expect(comparePositions(present(all[n]).position, event.position)).toBeLessThan(0);
    });

    it('keeps all kinds of text and large events unchanged', async () => {
      const { log, reopen } = handles();
      const texts = [
        'Grüße, 世界 🌍',
        'nul \u0000 inside',
        'quotes " and \\ and / \u2028',
        'lone \ud800 surrogate',
        '',
        'e\u0301 is not é',
      ];
      const data = {
        texts,
        nested: { '': [null, true, -0.5, 1e21, { ключ: {} }] },
        big: '✓'.repeat(170_000),
      };
      expect(Buffer.byteLength(JSON.stringify(data))).toBeGreaterThan(510_000);
      const event = newEvent(data);
      const stream: StreamName = `refledger.Ünïcode-🌍-${randomUUID()}`;
      await log.append(stream, [event], 'no stream');
      const logged = { ...event, stream, revision: 0, position: expect.any(String) as unknown };
      expect(await eventsOf(log.readStream(stream))).toEqual([logged]);
      expect(await eventsOf((await reopen()).readStream(stream))).toEqual([logged]);
    });

    it('accepts exactly 1 MiB in total, and rejects more', async () => {
      const { log } = handles();
      const stream = newStream();
      const size = ({ type, data, metadata }: ReturnType<typeof newEvent>): number =>
        2 * type.length + Buffer.byteLength(JSON.stringify(data) + JSON.stringify(metadata));
      const filling = (bytes: number): ReturnType<typeof newEvent>[] => {
        const half = newEvent('x'.repeat(500_000));
        return [half, newEvent('x'.repeat(bytes - size(half) - size(newEvent(''))))];
      };
      expect(await faultOf(log.append(stream, filling(maxAppendBytes + 1), 'no stream'))).toEqual({
        kind: 'too_large',
        bytes: maxAppendBytes + 1,
        limit: maxAppendBytes,
      });
      expect(await eventsOf(log.readStream(stream))).toEqual([]);
      expect((await log.append(stream, filling(maxAppendBytes), 'no stream')).revision).toBe(1);
    });

    it('treats invalid names, ids, types, revisions and values as programming errors', async () => {
      const { log } = handles();
      const stream = newStream();
      const names = [
        'conversion-1',
        'refledger.',
        'refledger.a\u0000b',
        'refledger.a\nb',
        'refledger.\ud800',
        `refledger.${'x'.repeat(491)}`,
      ] as StreamName[];
      for (const name of names) {
        await expect(log.append(name, newEvents(1), 'no stream')).rejects.toThrow(TypeError);
        await expect(eventsOf(log.readStream(name))).rejects.toThrow(TypeError);
      }
      await expect(log.append(stream, [], 'no stream')).rejects.toThrow(TypeError);
      for (const expected of [-1, 0.5, NaN])
        await expect(log.append(stream, newEvents(1), expected)).rejects.toThrow(TypeError);
      for (const event of [
        newEvent({}, 'not-a-uuid'),
        { ...newEvent(), type: '' },
        { ...newEvent(), data: undefined },
        newEvent(1n),
      ])
        await expect(log.append(stream, [event], 'no stream')).rejects.toThrow(TypeError);
      expect(
        (await log.append(`refledger.${randomUUID()}${'x'.repeat(454)}`, newEvents(1), 'no stream'))
          .revision,
      ).toBe(0);
    });
  });
};
