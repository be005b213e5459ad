import { z } from 'zod';
import { programIdSchema } from '../ids/ids.js';
import type { AggregateSpec, EventsOf } from './aggregate.js';

/**
 * Stream `refledger.program-<account id>-<program id>`. Clients choose program ids, so the name
 * includes the account id.
 */
export const program = {
  stream: ['account', 'program'],
  events: {
    'program.registered': z.strictObject({ program_id: programIdSchema }),
  },
} as const satisfies AggregateSpec;
export type ProgramEvent = EventsOf<typeof program.events>;
