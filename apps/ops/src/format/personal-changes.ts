import { aggregates, isObject } from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import type { Change } from './changes.js';

/**
 * The personal values that an event changed. They are sealed, but the event says in the clear which
 * ones they are. The first event of an affiliate shows only its sealed text, since it has them all.
 */
export const personalChanges = ({
  type,
  data,
}: Pick<LoggedEvent, 'type' | 'data'>): readonly Change[] => {
  const changed: unknown = isObject(data) ? data['changed'] : undefined;
  if (!Object.hasOwn(aggregates.affiliate.events, type) || !Array.isArray(changed)) return [];
  return changed.map((field) => ({ field: String(field), before: shown, after: shown }));
};

const shown = aggregates.affiliate.secrets.sealed;
