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
        'Removes an event from log time, and with it every event up to this decision that was recorded at the same time or later. In a copied log its position differs, and its stream and revision identify it.',
      ),
  },
} as const satisfies AggregateSpec;
export type ProcessorEvent = EventsOf<typeof processor.events>;
