import { z } from 'zod';
import { instantSchema } from '../time.js';
import type { AggregateSpec, EventsOf } from './aggregate.js';

const about = { processor: z.string() };

/**
 * Stream `refledger.processor-<name>`: the decisions of operators, and the store that holds the
 * processor's checkpoint.
 */
export const processor = {
  stream: ['text'],
  events: {
    'processor.opened': z.strictObject({ ...about, store_id: z.string() }),
    'processor.resumed': z.strictObject({
      ...about,
      from: z.string().describe('start, head, or a position'),
    }),
    'processor.skipped': z.strictObject({ ...about, event_id: z.string(), position: z.string() }),
    'processor.rebuild_requested': z.strictObject({ ...about, projection: z.string() }),
    'log_time.discounted': z
      .strictObject({
        ...about,
        event_id: z.string(),
        position: z.string(),
        stream: z.string(),
        revision: z.int().min(0),
        recorded_at: instantSchema,
      })
      .describe(
        'Removes from log time an event, and every event up to this decision that was recorded at its time or later. Stream and revision find it in a copied log, where its position differs.',
      ),
  },
} as const satisfies AggregateSpec;
export type ProcessorEvent = EventsOf<typeof processor.events>;
