import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';

/** The calls that keep the health of endpoints. */
export const health = ({ statements }: DeliveryTables) =>
  ({
    series: (endpoint) => statements.series.get(endpoint),
    keepSeries: (endpoint, { from, since, failures }) =>
      void statements.keepSeries.run(endpoint, from, since, failures),
    endSeries: (endpoint) => void statements.endSeries.run(endpoint),
    endpointsInSeries: () => statements.endpointsInSeries.all().map(({ id }) => id),
    succeededSince: (endpoint, after, now) =>
      statements.succeededSince.get(endpoint, after, now) !== undefined,
    failingSince: (endpoints) =>
      new Map(
        endpoints.flatMap((endpoint) => {
          const found = statements.series.get(endpoint);
          return found === undefined ? [] : [[endpoint, found.since] as const];
        }),
      ),
  }) satisfies Partial<SynchronousStore>;
