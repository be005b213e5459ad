import type { Delivery, DeliveryStore } from '@refledger/webhooks';

/** All that a store has; it is closed then. */
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

export const countsOf = (deliveries: readonly Delivery[]): Record<string, number> =>
  deliveries.reduce<Record<string, number>>(
    (counts, { status }) => ({ ...counts, [status]: (counts[status] ?? 0) + 1 }),
    { waiting: 0, sending: 0 },
  );

/** Positions are each log's own, and what a crash left under way is due at once on the other side. */
export const comparable = ({
  position: _position,
  dueAt: _dueAt,
  status,
  attempts,
  ...rest
}: Delivery): object => ({
  ...rest,
  status: status === 'sending' ? 'waiting' : status,
  attempts: attempts.map(({ number, startedAt }) => ({ number, startedAt })),
});
