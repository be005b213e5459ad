import { eventSchemaVersion, type EventType } from '@refledger/contracts';
import { withCommission } from './old-conversions.js';

/** Converts data of one schema version to the next. */
type Upcaster = (data: unknown) => unknown;

/**
 * The upcasters of each event type, by the schema version that they start from. When
 * `eventSchemaVersion` is raised from n to n+1, every type whose data changed gets an upcaster at
 * n; the others need none.
 */
const upcasters: Partial<Record<EventType, Readonly<Record<number, Upcaster>>>> = {
  'claim.taken': { 1: (data) => holdingEvents(data as ClaimOfSchema1) },
  'conversion.created': { 1: withCommission },
  'conversion.updated': { 1: withCommission },
  'conversion.approved': { 1: withCommission },
  'conversion.rejected': { 1: withCommission },
  'conversion.refunded': { 1: withCommission },
};

/** The version to upcast to, and the upcasters to use. */
interface TargetSchema {
  readonly version: number;
  readonly steps: typeof upcasters;
}

const presentSchema: TargetSchema = { version: eventSchemaVersion, steps: upcasters };

/** Converts the data of an older event to the current schema. */
export const upcast = (
  type: EventType,
  schema: number,
  data: unknown,
  { version: target, steps } = presentSchema,
): unknown => {
  let current = data;
  for (let version = schema; version < target; version++)
    current = steps[type]?.[version]?.(current) ?? current;
  return current;
};

/** Before schema 2, a claim held an append of one event. */
interface ClaimOfSchema1 {
  readonly append: { readonly event: unknown };
}

/**
 * The event itself stays as it was recorded: a claim's append must be the same whoever makes it.
 */
const holdingEvents = ({ append: { event, ...append }, ...claim }: ClaimOfSchema1) => ({
  ...claim,
  append: { ...append, events: [event] },
});
