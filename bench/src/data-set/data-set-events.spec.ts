import { completeData, eventSchemas, type ConversionEvent } from '@refledger/contracts';
import { conversionDecider, conversionRecord, fold } from '@refledger/domain';
import type { NewEvent } from '@refledger/event-log';
import { present } from '@refledger/testing/present';
import { dataSetEvents, type DataSetAppend } from './data-set-events.js';
import type { DataSetKeys } from './data-set-keys.js';
import type { DataSetSpec } from './data-set-spec.js';
import { specOf } from './data-sets.js';
import { FiguresOfConversions, totalOf } from './known-figures.js';

const spec: DataSetSpec = { ...specOf(2_000), seed: 1 };
/** Test double: seals nothing, so that the same data set has the same events. */
const keys: DataSetKeys = {
  seal: (_id, values) => JSON.stringify(values),
  hashesOf: ({ email, external_id }) => ({ email, external_id }),
};
const appends: readonly DataSetAppend[] = [...dataSetEvents(spec, keys)];
const conversionStreams = (): Map<string, NewEvent[]> => {
  const streams = new Map<string, NewEvent[]>();
  for (const { stream, events } of appends)
    if (stream.startsWith('refledger.conversion-'))
      streams.set(stream, [
        ...(streams.get(stream) ?? []),
        ...events.map((event) => ({ ...event, data: completeData({ ...event, stream }) })),
      ]);
  return streams;
};

describe('the events of a data set', () => {
  it('are the same for the same seed, and different for another', () => {
    expect([...dataSetEvents(spec, keys)]).toEqual(appends);
    expect([...dataSetEvents({ ...spec, seed: 2 }, keys)]).not.toEqual(appends);
  });

  it('follow each other in their streams without gaps, in chronological order, with unique ids', () => {
    const revisions = new Map<string, number>();
    for (const { stream, events, expected } of appends) {
      expect(expected).toBe(revisions.get(stream) ?? 'no stream');
      revisions.set(stream, (revisions.get(stream) ?? -1) + events.length);
    }
    const events = appends.flatMap((append) => append.events);
    const times = events.map(({ metadata }) => metadata.recorded_at);
    expect([...times].sort()).toEqual(times);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  it.each([20, 500, 2_000])('end within half a year after the last of %s sales', (conversions) => {
    const last = [...dataSetEvents({ ...specOf(conversions), seed: 1 }, keys)].at(-1);
    const recordedAt = last?.events[0]?.metadata.recorded_at ?? '';
    expect(recordedAt > '2026-01' && recordedAt < '2026-07-03').toBe(true);
  });

  it('conform to the schemas that the service writes', () => {
    for (const { stream, events } of appends)
      for (const event of events) {
        const { type } = event;
        const data = completeData({ ...event, stream });
        expect({ type, ...eventSchemas.get(type)?.safeParse(data) }).toMatchObject({
          type,
          success: true,
        });
      }
  });

  it('add up to the known figures, counted from the streams', () => {
    const figures = new FiguresOfConversions();
    for (const { conversion } of appends)
      if (conversion !== undefined) figures.changed(conversion.before, conversion.after);
    const streams = [...conversionStreams().values()];
    expect(streams).toHaveLength(spec.conversions);

    const counted: Record<
      string,
      Record<string, Record<string, { count: number; amount: number }>>
    > = {};
    for (const events of streams) {
      // Decoding boundary: a conversion's stream holds a conversion's events.
      const record = present(
        conversionRecord(
          fold(
            conversionDecider,
            events.map(
              (event, revision) =>
                ({ ...event, revision }) as unknown as ConversionEvent & {
                  revision: number;
                  metadata: NewEvent['metadata'];
                },
            ),
          ),
        ),
      );
      const cell = (((counted[record.affiliate_id] ??= {})[record.sale_currency] ??= {})[
        record.status
      ] ??= { count: 0, amount: 0 });
      cell.count++;
      cell.amount += record.sale_amount;
    }
    expect(withoutZeros(figures.known)).toEqual(counted);
  });

  it("are distributed like a shop's: big affiliates and a long tail, three currencies, every status", () => {
    const figures = new FiguresOfConversions();
    for (const { conversion } of appends)
      if (conversion !== undefined) figures.changed(conversion.before, conversion.after);
    const total = totalOf(figures.known);
    const byAffiliate = Object.values(figures.known)
      .map((currencies) =>
        Object.values(currencies)
          .flatMap((cells) => Object.values(cells))
          .reduce((sum, { count }) => sum + count, 0),
      )
      .sort((a, b) => b - a);

    expect(Object.keys(total).sort()).toEqual(['EUR', 'JPY', 'USD']);
    for (const { count } of Object.values(total).flatMap((cells) => Object.values(cells)))
      expect(count).toBeGreaterThan(0);
    expect(byAffiliate[0]).toBeGreaterThan(10 * (byAffiliate.at(-1) ?? 0));
    expect(byAffiliate.reduce((sum, count) => sum + count)).toBe(spec.conversions);
  });
});

const withoutZeros = (figures: FiguresOfConversions['known']): unknown =>
  Object.fromEntries(
    Object.entries(figures).map(([id, currencies]) => [
      id,
      Object.fromEntries(
        Object.entries(currencies).map(([currency, cells]) => [
          currency,
          Object.fromEntries(Object.entries(cells).filter(([, { count }]) => count > 0)),
        ]),
      ),
    ]),
  );
