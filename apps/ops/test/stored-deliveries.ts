import type { Delivery, DeliveryStore } from '@refledger/delivery-store';

/** All deliveries of a store. Closes the store. */
export const deliveriesOf = async (store: DeliveryStore): Promise<readonly Delivery[]> => {
  try {
    const all: Delivery[] = [];
    for (const endpointId of await store.endpoints())
      all.push(...(await store.list({ endpointId, limit: 1_000 })));
    return all;
  } finally {
    await store.close();
  }
};

/** The series of failed attempts of each endpoint, without their positions. Closes the store. */
export const healthOf = async (store: DeliveryStore): Promise<readonly object[]> => {
  try {
    const endpoints = [...(await store.endpointsInSeries())].sort();
    return await Promise.all(
      endpoints.map(async (endpoint) => ({
        ...(await store.series(endpoint)),
        from: undefined,
        endpoint,
      })),
    );
  } finally {
    await store.close();
  }
};

export const countsOf = (deliveries: readonly Delivery[]): Record<string, number> =>
  deliveries.reduce<Record<string, number>>(
    (counts, { status }) => ({ ...counts, [status]: (counts[status] ?? 0) + 1 }),
    { waiting: 0, sending: 0 },
  );

/**
 * A delivery without the parts that differ between source and target. Positions differ between
 * logs, and deliveries that a crash left with the status `sending` are due immediately on the
 * target.
 */
export const comparable = ({
  position: _position,
  decidedAt: _decidedAt,
  dueAt: _dueAt,
  status,
  attempts,
  ...rest
}: Delivery): object => ({
  ...rest,
  status: status === 'sending' ? 'waiting' : status,
  attempts: attempts.map(({ number, startedAt }) => ({ number, startedAt })),
});
