import { z } from 'zod';
import { eventKinds } from '../event-kinds.js';
import { text } from '../text.js';

/** A secret of the client's own: 16 to 128 printable ASCII characters. */
const secretSchema = z.string().regex(/^[\x20-\x7e]{16,128}$/, { error: 'must have 16 to 128 printable ASCII characters' }).meta({ minLength: 16, maxLength: 128 });

const kindSchema = z.enum(eventKinds, { error: ({ input }) => `is no known event kind: ${JSON.stringify(input)?.slice(0, 80)}; known are ${eventKinds.join(', ')}` });

/** An address for webhooks. Whether it may be reached is checked after the shape (`target_not_allowed`). */
export const targetUrlSchema = text({ min: 1, max: 2048 })
  .refine(isAbsoluteHttpUrl, { error: 'must be an absolute http or https URL without user name or password', params: { code: 'invalid_url' } })
  .meta({ format: 'uri', example: 'https://shop.example.com/hooks' });

export const subscribeSchema = z
  .strictObject({
    target_url: targetUrlSchema,
    events: z.array(kindSchema).min(1, { error: 'must name at least one event kind' }).max(100, { error: 'must have at most 100 entries' }),
    secret: secretSchema.optional().describe('Made when left out.'),
    description: text({ max: 500 }).optional(),
  })
  .meta({ id: 'Subscribe' });
export type Subscribe = z.infer<typeof subscribeSchema>;

function isAbsoluteHttpUrl(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url !== undefined && /^https?:\/\//i.test(value) && url.username === '' && url.password === '';
}
