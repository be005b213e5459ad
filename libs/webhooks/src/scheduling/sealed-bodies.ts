import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { DeliveryId } from '@refledger/contracts';
import type { Delivery } from '@refledger/delivery-store';
import { isPersonalDataUnavailable, type DeliveryTexts } from '@refledger/personal-data';
import type { BodyMaker } from '@refledger/webhook-endpoints';

export interface SealedBodiesParts {
  readonly bodies: Pick<BodyMaker, 'make'>;
  readonly texts: Pick<DeliveryTexts, 'sealBodies'>;
}

/**
 * Makes the missing bodies of deliveries, sealed, to store. Leaves out bodies of skipped events and of
 * erased affiliates, and those whose personal data does not open now.
 */
export const sealedBodies = async (
  deliveries: readonly Delivery[],
  { bodies, texts }: SealedBodiesParts,
): Promise<readonly { readonly id: DeliveryId; readonly body: string }[]> => {
  const made: Delivery[] = [];
  for (const delivery of deliveries) {
    if (delivery.body !== null) continue;
    const body = await ifOpen(() => bodies.make(delivery));
    if (body !== undefined && body !== null) made.push({ ...delivery, body });
    // reads of the log might not yield to the event loop at all, and other work must not wait for
    // all of them
    await yieldToEventLoop();
  }
  return (await sealed(made, texts)).flatMap(({ id, body }) =>
    body === null ? [] : [{ id, body }],
  );
};

/** Seals bodies with one call for their keys, or one by one if a key is missing. */
const sealed = async (
  made: readonly Delivery[],
  texts: SealedBodiesParts['texts'],
): Promise<readonly Delivery[]> => {
  const all = await ifOpen(() => texts.sealBodies(made));
  if (all !== undefined) return all;
  const each: Delivery[] = [];
  for (const one of made) each.push(...((await ifOpen(() => texts.sealBodies([one]))) ?? []));
  return each;
};

/** The result of opening personal data; undefined if it does not open. */
const ifOpen = async <T>(open: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await open();
  } catch (error) {
    if (isPersonalDataUnavailable(error)) return undefined;
    throw error;
  }
};
