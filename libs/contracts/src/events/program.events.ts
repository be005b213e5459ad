import { z } from 'zod';
import { programIdSchema } from '../ids.js';

/**
 * Stream `refledger.program-<account id>-<program id>`. Clients choose program ids, so the name
 * includes the account id.
 */
export const programEvents = {
  'program.registered': z.strictObject({ program_id: programIdSchema }),
} as const;
