import { tmpdir } from 'node:os';
import { Bench } from './bench.js';
import type { Row, Rounds } from './row.js';
import { runRow } from './run-row.js';

const bench = (rounds: number) =>
  new Bench({ dataDir: tmpdir(), quick: true, rounds, report: () => undefined });
const rowOf = (prepare: Row['prepare']): Row => ({
  name: 'r',
  title: 'a row',
  figures: [],
  prepare,
});

describe('a row', () => {
  it('alternates measure and yardstick, and which of them is first', async () => {
    const order: string[] = [];
    const rounds: Rounds = {
      measure: (round) => (order.push(`m${round}`), Promise.resolve({ x: round })),
      yardstick: (round) => (order.push(`y${round}`), Promise.resolve({ x: -round })),
      finish: () => (order.push('finish'), Promise.resolve()),
    };
    const run = await runRow(
      rowOf(() => Promise.resolve(rounds)),
      bench(3),
      () => undefined,
    );

    expect(order).toEqual(['m1', 'y1', 'y2', 'm2', 'm3', 'y3', 'finish']);
    expect(run.rounds).toEqual(
      [1, 2, 3].map((n) => ({ measured: { x: n }, yardstick: { x: -n } })),
    );
    expect(run.failure).toBeUndefined();
  });

  it.each<[string, Row['prepare']]>([
    ['preparing', () => Promise.reject(new Error('lost'))],
    ['a round', () => Promise.resolve({ measure: () => Promise.reject(new Error('lost')) })],
    [
      'the checks at the end',
      () =>
        Promise.resolve({
          measure: () => Promise.resolve({}),
          finish: () => Promise.reject(new Error('lost')),
        }),
    ],
  ])(
    'that fails in %s reports it, and closes its resources in reverse order',
    async (_where, prepare) => {
      const closed: string[] = [];
      const run = await runRow(
        rowOf((on) => {
          for (const name of ['a', 'b'])
            on.use({ close: () => (closed.push(name), Promise.resolve()) });
          return prepare(on);
        }),
        bench(1),
        () => undefined,
      );

      expect(run.failure).toContain('lost');
      expect(closed).toEqual(['b', 'a']);
    },
  );

  it('that cannot close one resource closes the others, and fails', async () => {
    const closed: string[] = [];
    const run = await runRow(
      rowOf((on) => {
        on.use({ close: () => (closed.push('a'), Promise.resolve()) });
        on.use({ close: () => Promise.reject(new Error('ended with 1')) });
        return Promise.resolve({ measure: () => Promise.resolve({}) });
      }),
      bench(1),
      () => undefined,
    );

    expect(run.failure).toContain('ended with 1');
    expect(closed).toEqual(['a']);
  });

  it('that is interrupted closes its resources, and can open no more', async () => {
    const on = bench(3);
    let leave: (error: Error) => void = () => undefined;
    const server = { close: () => (leave(new Error('cut')), Promise.resolve()) };
    const late = { closed: 0, close: () => (late.closed++, Promise.resolve()) };
    const run = await runRow(
      rowOf(() => {
        on.use(server);
        return Promise.resolve({
          measure: async () => {
            const answered = new Promise<never>((_resolve, reject) => (leave = reject));
            on.interrupt();
            await answered.catch(() => on.use(late));
            return {};
          },
        });
      }),
      on,
      () => undefined,
    );

    expect(run).toMatchObject({
      rounds: [],
      failure: expect.stringContaining('interrupted') as string,
    });
    expect(late.closed).toBe(1);
  });

  it('passes on only its own notes, once each', async () => {
    const on = bench(2);
    const writer = rowOf(() =>
      Promise.resolve({ measure: () => (on.note('busy'), Promise.resolve({})) }),
    );
    expect((await runRow(writer, on, () => undefined)).notes).toEqual(['busy']);
    expect(
      (
        await runRow(
          rowOf(() => Promise.resolve({ measure: () => Promise.resolve({}) })),
          on,
          () => undefined,
        )
      ).notes,
    ).toEqual([]);
  });
});
