import type { EventLog } from '@refledger/event-log';
import type { DeliveryStatus, DeliveryStore } from '@refledger/webhooks';
import type { Console } from '../console.js';
import { withOpen } from '../with-open.js';
import { translatedDelivery } from './copy-deliveries.js';
import { digestDeliveries, digestEvents, type Digest } from './digest.js';
import { openTargetStore, type TargetUrls } from './open-target.js';
import type { Translate } from './position-translation.js';
import { shownWork } from './shown-work.js';

/** One result for each side. */
export interface Compared<Of extends Digest> {
  readonly source: Of;
  readonly target: Of;
}

/** The digests of both sides, and whether they are equal. */
export interface ComparedSides {
  readonly events: Compared<Digest>;
  /** Undefined when nothing was ever delivered. */
  readonly deliveries:
    Compared<Digest & { readonly counts: Readonly<Record<DeliveryStatus, number>> }> | undefined;
  readonly isSame: boolean;
}

interface Sides extends Pick<TargetUrls, 'readStoreUrl'> {
  readonly source: EventLog;
  readonly target: EventLog;
  /** The source's delivery store; undefined when nothing was ever delivered. */
  readonly store: DeliveryStore | undefined;
  readonly translate: Translate;
  readonly console: Pick<Console, 'report' | 'terminal' | 'signal'>;
}

/** Digests all events and deliveries of the source and of its copy, one side after the other. */
export const compareSides = async (sides: Sides): Promise<ComparedSides> => {
  const { store } = sides;
  const events = await compareEvents(sides);
  const deliveries = store && (await compareDeliveries(sides, store));
  const isSame = same(events) && (deliveries === undefined || same(deliveries));
  return { events, deliveries, isSame };
};

const compareEvents = async ({ source, target, console }: Sides): Promise<Compared<Digest>> => {
  const digest = (side: keyof Compared<Digest>, log: EventLog): Promise<Digest> =>
    shownWork(console, { what: `comparing events of the ${side}`, unit: 'position' }, (options) =>
      digestEvents(log, options),
    );
  return { source: await digest('source', source), target: await digest('target', target) };
};

const compareDeliveries = (
  { translate, console, readStoreUrl }: Sides,
  store: DeliveryStore,
): Promise<NonNullable<ComparedSides['deliveries']>> =>
  withOpen(openTargetStore({ readStoreUrl }), async (copied) => ({
    source: await shownWork(
      console,
      { what: 'comparing deliveries of the source', unit: 'delivery' },
      (options) =>
        digestDeliveries(store, (delivery) => translatedDelivery(delivery, translate), options),
    ),
    target: await shownWork(
      console,
      { what: 'comparing deliveries of the target', unit: 'delivery' },
      (options) => digestDeliveries(copied, (delivery) => Promise.resolve(delivery), options),
    ),
  }));

const same = ({ source, target }: Compared<Digest>): boolean =>
  source.count === target.count && source.hash === target.hash;
