import type { EndpointId } from '@refledger/contracts';
import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';
import type { Statements } from './statements.js';

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
    failingSince: (endpoints) => failingSince(statements.series, endpoints),
  }) satisfies Partial<SynchronousStore>;

/** Since when attempts to these endpoints have been failing, for those that have a series. */
export const failingSince = (
  series: Statements['series'],
  endpoints: readonly EndpointId[],
): ReadonlyMap<EndpointId, string> =>
  new Map(
    endpoints.flatMap((endpoint) => {
      const found = series.get(endpoint);
      return found === undefined ? [] : [[endpoint, found.since] as const];
    }),
  );
