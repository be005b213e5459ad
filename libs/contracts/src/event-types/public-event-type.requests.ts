import { z } from 'zod';
import { described } from '../problems/described.js';
import { publicEventTypes } from './public-event-types.js';

export const kindSchema = z.enum(publicEventTypes, {
  error: ({ input }) =>
    `must be an event type, but was ${described(input)}. Use one of: ${publicEventTypes.join(', ')}`,
});

/** A non-empty list of event types. */
export const listOfEventTypes = <Entry extends z.ZodType>(entry: Entry) =>
  z
    .array(entry)
    .min(1, { error: 'must name at least one event type' })
    .max(100, { error: 'must have at most 100 entries' });
