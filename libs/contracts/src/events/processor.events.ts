import { z } from 'zod';

const processor = { processor: z.string() };

/**
 * Stream `refledger.processor-<name>`: the decisions of operators, and the store that holds the
 * processor's checkpoint.
 */
export const processorEvents = {
  'processor.opened': z.strictObject({ ...processor, store_id: z.string() }),
  'processor.resumed': z.strictObject({
    ...processor,
    from: z.string().describe('start, head, or a position'),
  }),
  'processor.skipped': z.strictObject({ ...processor, event_id: z.string(), position: z.string() }),
  'processor.rebuild_requested': z.strictObject({ ...processor, projection: z.string() }),
} as const;
