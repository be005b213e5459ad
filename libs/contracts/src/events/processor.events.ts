import { z } from 'zod';

const processor = { processor: z.string() };

/** Stream `refledger.processor-<name>`: what operators decided, and which store a processor keeps its checkpoint in. */
export const processorEvents = {
  'processor.opened': z.strictObject({ ...processor, store_id: z.string() }),
  'processor.resumed': z.strictObject({
    ...processor,
    from: z.string().describe('start, head, or a position'),
  }),
  'processor.skipped': z.strictObject({ ...processor, event_id: z.string(), position: z.string() }),
  'processor.rebuild_requested': z.strictObject({ ...processor, projection: z.string() }),
} as const;
