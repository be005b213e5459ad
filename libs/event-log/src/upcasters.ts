import { eventSchemaVersion, type EventType } from '@refledger/contracts';

/** Turns the data of one schema version into that of the next. */
export type Upcaster = (data: unknown) => unknown;

/**
 * For each event type the steps by the schema version that they start from. Raising `eventSchemaVersion` from n to n+1 adds
 * a step at n for every type whose data changed; the others stay as they are.
 */
const upcasters: Partial<Record<EventType, Readonly<Record<number, Upcaster>>>> = {};

/** What data is brought up to, and by which steps. */
interface TargetSchema {
  readonly version: number;
  readonly steps: typeof upcasters;
}

const presentSchema: TargetSchema = { version: eventSchemaVersion, steps: upcasters };

/** The data of an old event as the present schema has it. */
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
