/// <reference types="jest" />
import { comparePositions, toPosition } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import type { LoggedEvent } from '../event-log.js';
import {
  batchesOf,
  eventsOf,
  faultOf,
  fill,
  followUntil,
  idsOf,
  newAppend,
  newEvent,
  newEvents,
  newStream,
  type LogHandles,
} from './under-test.js';

export const reading = (handles: () => LogHandles): void => {
  describe('readStream', () => {
    it('returns nothing for a missing stream', async () => {
      expect(await eventsOf(handles().log.readStream(newStream()))).toEqual([]);
    });

    it('reads from one revision to another, both included', async () => {
      const { log } = handles();
      const stream = newStream();
      await log.append(stream, newEvents(10), 'no stream');
      const revisions = async (from?: number, to?: number): Promise<number[]> =>
        (
          await eventsOf(
            log.readStream(stream, {
              ...(from !== undefined && { from }),
              ...(to !== undefined && { to }),
            }),
          )
        ).map(({ revision }) => revision);
      expect(await revisions()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(await revisions(7)).toEqual([7, 8, 9]);
      expect(await revisions(3, 5)).toEqual([3, 4, 5]);
      expect(await revisions(undefined, 0)).toEqual([0]);
      expect(await revisions(8, 20)).toEqual([8, 9]);
      expect(await revisions(10)).toEqual([]);
      expect(await revisions(5, 4)).toEqual([]);
    });

    it('does not mix up streams when one name is a prefix of the other', async () => {
      const { log } = handles();
      const stream = newStream();
      await log.append(stream, [newEvent('short')], 'no stream');
      await log.append(`${stream}-more`, [newEvent('long')], 'no stream');
      expect((await eventsOf(log.readStream(stream))).map(({ data }) => data)).toEqual(['short']);
    });
  });

  describe('readAll', () => {
    it('reads every event after a position once and in order, with any batch size', async () => {
      const { log } = handles();
      const head = await log.head();
      const streams = [newStream('a'), newStream('b'), newStream('c')];
      for (let round = 0; round < 12; round += 1)
        await Promise.all(
          streams.map((stream) =>
            log.append(
              stream,
              newEvents(1 + (round % 3)),
              round === 0 ? 'no stream' : sumBefore(round) - 1,
            ),
          ),
        );
      const all = await batchesOf(log.readAll({ after: head }));
      expect(idsOf(all)).toHaveLength(3 * sumBefore(12));
      for (const batchSize of [1, 7, 72, 1000]) {
        const batches = await batchesOf(log.readAll({ after: head, batchSize }));
        expect(idsOf(batches)).toEqual(idsOf(all));
        expect(Math.max(...batches.map(({ events }) => events.length))).toBeLessThanOrEqual(
          batchSize,
        );
        let last = head;
        for (const { events, through } of batches) {
          for (const { position } of events)
            expect(last === undefined || comparePositions(position, last) > 0).toBe(true);
          if (events.length > 0)
            expect(comparePositions(present(events.at(-1)).position, through)).toBeLessThanOrEqual(
              0,
            );
          last = through;
        }
        expect(comparePositions(present(last), present(await log.head()))).toBeGreaterThanOrEqual(
          0,
        );
      }
    });

    it('never ends a batch within an append, with any batch size', async () => {
      const { log } = handles();
      const head = await log.head();
      const last = newEvent('the end');
      for (const count of [1, 2, 3, 2])
        await log.append(newStream(), newAppend(count), 'no stream');
      await log.append(newStream(), [last], 'no stream');
      for (const batchSize of [1, 2, 1000]) {
        const options = { after: head, batchSize };
        for (const batches of [
          await batchesOf(log.readAll(options)),
          await followUntil(log, options, ({ id }) => id === last.id),
        ]) {
          expect(idsOf(batches)).toHaveLength(9);
          for (const { events } of batches)
            expect(events.at(-1)?.metadata.append_continues).toBeUndefined();
        }
      }
    });

    it('continues after the `through` of any batch without gaps or duplicates', async () => {
      const { log } = handles();
      const head = await log.head();
      const prefix = newStream('own');
      for (let n = 0; n < 30; n += 1)
        await log.append(
          n % 3 === 0 ? `${prefix}-${n}` : newStream('other'),
          newEvents(1),
          'no stream',
        );
      for (const options of [{ batchSize: 4 }, { batchSize: 4, prefix }]) {
        const batches = await batchesOf(log.readAll({ ...options, after: head }));
        for (const [n, { through }] of batches.entries()) {
          expect(idsOf(await batchesOf(log.readAll({ ...options, after: through })))).toEqual(
            idsOf(batches.slice(n + 1)),
          );
        }
      }
    });

    it('reads streams by prefix, and skips the others', async () => {
      const { log } = handles();
      const head = await log.head();
      const prefix = newStream('prefix');
      await log.append(`${prefix}-1`, [newEvent(1)], 'no stream');
      await fill(log, newStream('other'), 6_000);
      await log.append(`${prefix}-2`, [newEvent(2)], 'no stream');
      await log.append(`${prefix}-1`, [newEvent(3)], 0);
      const last = await log.append(newStream('other'), [newEvent('last')], 'no stream');
      const batches = await batchesOf(log.readAll({ after: head, prefix }));
      expect(batches.flatMap(({ events }) => events.map(({ data }) => data))).toEqual([1, 2, 3]);
      expect(
        comparePositions(present(batches.at(-1)).through, present(last.position)),
      ).toBeGreaterThanOrEqual(0);
      const first = present(batches.flatMap(({ events }) => events)[0]);
      expect(
        (await batchesOf(log.readAll({ after: first.position, prefix }))).flatMap(({ events }) =>
          events.map(({ data }) => data),
        ),
      ).toEqual([2, 3]);
      expect(
        idsOf(await batchesOf(log.readAll({ after: head, prefix: newStream('none') }))),
      ).toEqual([]);
    });

    it('stops at the position that was the head when it started', async () => {
      const { log } = handles();
      const head = await log.head();
      await log.append(newStream(), newEvents(3), 'no stream');
      let seen = 0;
      for await (const { events } of log.readAll({ after: head, batchSize: 1 })) {
        seen += events.length;
        await log.append(newStream(), newEvents(1), 'no stream');
      }
      expect(seen).toBe(3);
    });

    it('returns no event after the head', async () => {
      const { log } = handles();
      expect(idsOf(await batchesOf(log.readAll({ after: await log.head() })))).toEqual([]);
    });
  });

  describe('readBackwards', () => {
    it('reads every event backward from the head, with any batch size', async () => {
      const { log } = handles();
      const head = await log.head();
      for (let n = 0; n < 80; n += 1)
        await log.append(newStream(n % 2 === 0 ? 'a' : 'b'), newEvents(1 + (n % 3)), 'no stream');
      const forwards = idsOf(await batchesOf(log.readAll({ after: head })));
      for (const batchSize of [1, 7, 1000]) {
        const batches: (readonly LoggedEvent[])[] = [];
        for await (const batch of log.readBackwards({ batchSize })) {
          batches.push(batch);
          if (batches.flat().length >= forwards.length) break;
        }
        const backwards = batches.flat().map(({ id }) => id);
        expect(backwards.slice(0, forwards.length)).toEqual([...forwards].reverse());
        expect(batches.every(({ length }) => length > 0 && length <= batchSize)).toBe(true);
      }
    });

    it('reads streams by prefix, past later writes to others', async () => {
      const { log } = handles();
      const prefix = newStream('back');
      const stream = newStream('other');
      await log.append(`${prefix}-1`, newEvents(2), 'no stream');
      await log.append(stream, newEvents(600), 'no stream');
      await log.append(`${prefix}-2`, [newEvent('last')], 'no stream');
      await log.append(stream, newEvents(20), 599);
      const found = await eventsOf(log.readBackwards({ prefix }));
      expect(found.map(({ stream: of, revision }) => [of, revision])).toEqual([
        [`${prefix}-2`, 0],
        [`${prefix}-1`, 1],
        [`${prefix}-1`, 0],
      ]);
      expect(found[0]).toMatchObject({ data: 'last', position: expect.any(String) as string });
      expect(await eventsOf(log.readBackwards({ prefix: newStream('none') }))).toEqual([]);
    });

    it('starts at the position that was the head when it started', async () => {
      const { log } = handles();
      const prefix = newStream('end');
      await log.append(`${prefix}-1`, newEvents(3), 'no stream');
      let seen = 0;
      for await (const events of log.readBackwards({ prefix, batchSize: 1 })) {
        seen += events.length;
        await log.append(newStream(), newEvents(1), 'no stream');
        await log.append(`${prefix}-1`, newEvents(1), 1 + seen);
      }
      expect(seen).toBe(3);
    });
  });

  describe('eventAt and head', () => {
    it('return the last event, and nothing between or beyond events', async () => {
      const { log } = handles();
      const event = newEvent({ last: true });
      const { position } = await log.append(newStream(), [event], 'no stream');
      expect(await log.head()).toBe(position);
      expect(await log.eventAt(present(position))).toMatchObject(event);
      expect(
        await log.eventAt(present(toPosition((BigInt(present(position)) + 1n).toString()))),
      ).toBeUndefined();
      expect(await log.eventAt(present(toPosition('9007199254740993')))).toBeUndefined();
    });
  });

  describe('the log itself', () => {
    it('keeps its id and its events when it is opened again, with the same id on every handle', async () => {
      const { log, another, reopen } = handles();
      const { id } = log;
      const stream = newStream();
      const [event] = newEvents(1);
      await log.append(stream, [present(event)], 'no stream');
      expect((await another()).id).toBe(id);
      const reopened = await reopen();
      expect(reopened.id).toBe(id);
      expect(await eventsOf(reopened.readStream(stream))).toMatchObject([
        { id: present(event).id },
      ]);
      const [opened] = await eventsOf(reopened.readStream('refledger.log'));
      expect(opened).toMatchObject({ type: 'log.opened', revision: 0, data: { log_id: id } });
    });

    it('is unavailable once it is closed, and commits appends that it had accepted', async () => {
      const { log, another, reopen } = handles();
      const other = await another();
      const stream = newStream();
      const accepted = other.append(stream, newEvents(1), 'no stream');
      await other.close();
      await other.close();
      expect((await accepted).revision).toBe(0);
      expect(await faultOf(other.append(stream, newEvents(1), 0))).toEqual({ kind: 'unavailable' });
      expect(await faultOf(other.head())).toEqual({ kind: 'unavailable' });
      expect(await faultOf(eventsOf(other.readStream(stream)))).toEqual({ kind: 'unavailable' });
      expect((await log.append(stream, newEvents(1), 0)).revision).toBe(1);
      expect(await eventsOf((await reopen()).readStream(stream))).toHaveLength(2);
    });
  });
};

/** How many events the earlier rounds appended to each stream. */
const sumBefore = (round: number): number =>
  Array.from({ length: round }, (_, n) => 1 + (n % 3)).reduce((sum, n) => sum + n, 0);
