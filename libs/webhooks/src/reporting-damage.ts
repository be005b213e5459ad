import { DeliveryStoreError, type DeliveryStore } from '@refledger/delivery-store';

/** The store. Calls `onDamage` with each error that says that the store is damaged. */
export const reportingDamage = (
  store: DeliveryStore,
  onDamage: (error: DeliveryStoreError) => void,
): DeliveryStore => {
  const reported =
    (method: Method): Method =>
    async (...args) => {
      try {
        return await method(...args);
      } catch (error) {
        if (error instanceof DeliveryStoreError && error.kind === 'damaged') onDamage(error);
        throw error;
      }
    };
  // the cast holds because names, arguments and results stay the same
  return Object.fromEntries(
    Object.entries(store).map(([name, member]: [string, Method | string]) => [
      name,
      typeof member === 'string' ? member : reported(member),
    ]),
  ) as unknown as DeliveryStore;
};

type Method = (...args: readonly never[]) => Promise<unknown>;
