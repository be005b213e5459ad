import { z } from 'zod';
import { programIdSchema } from '../ids.js';

/** Stream `refledger.program-<account id>-<program id>`: clients choose program ids, so they are keyed together with the account. */
export const programEvents = {
  'program.registered': z.strictObject({ program_id: programIdSchema }),
} as const;
