import { z } from 'zod';
import { instantSchema } from '../time.js';
import type { AggregateSpec, EventsOf } from '../shared/aggregate.js';

const about = { processor: z.string() };

/** The stop that relay or dispatcher found: decisions on where to resume name it. */
export const processorStopSchema = z.strictObject({
  recorded_store: z.string().nullable().describe('The store that the log names.'),
  present_store: z
    .string()
    .nullable()
    .describe('The store that the processor has; null if an operator found none.'),
  checkpoint: z
    .array(z.string())
    .describe(
      'The entries of the checkpoint that are in question; empty if the store has no checkpoint.',
    ),
});
export type ProcessorStop = z.infer<typeof processorStopSchema>;

/**
 * Stream `refledger.processor-<name>`: the decisions of operators, and the store that holds the
 * processor's checkpoint.
 */
export const processor = {
  stream: ['text'],
  events: {
    'processor.opened': z.strictObject({
      ...about,
      store_id: z.string(),
      decision: z
        .int()
        .min(0)
        .nullable()
        .describe('The revision of the decision to resume that was carried out; null for none.'),
    }),
    'processor.stopped': z
      .strictObject({ ...about, stop: processorStopSchema })
      .describe('The processor waits for a decision. It discards an earlier one.'),
    'processor.resumed': z.strictObject({
      ...about,
      from: z.string().describe('start, head, or a position'),
      stop: processorStopSchema
        .nullable()
        .describe(
          'The stop that the decision is about. Null for processors that carry out every decision.',
        ),
      lifts: z
        .strictObject({ event_id: z.string(), stream: z.string(), revision: z.int().min(0) })
        .optional()
        .describe(
          'The event at `from`, which posting no longer skips: it continues with this event instead of after it.',
        ),
    }),
    'processor.skipped': z.strictObject({ ...about, event_id: z.string(), position: z.string() }),
    'processor.rebuild_requested': z.strictObject({ ...about, projection: z.string() }),
    'log_time.ignored': z
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
