import { z } from 'zod';
import { balance } from '../aggregates/balance.js';
import { instantSchema } from '../time.js';

const chained = <K extends keyof typeof balance.events>(type: K) =>
  z.strictObject({
    type: z.literal(type),
    data: balance.events[type],
    position: z.string(),
    recorded_at: instantSchema,
  });

/** A chained event of a balance: the data exactly as stored, since its hash covers that. */
const ledgerEventSchema = z
  .discriminatedUnion('type', [
    chained('balance.posted'),
    chained('balance.reserved'),
    chained('balance.settled'),
    chained('balance.released'),
  ])
  .meta({ id: 'LedgerEvent' });

/** The last line. A response without it was cut off. */
const ledgerEndSchema = z
  .strictObject({
    object: z.literal('end'),
    count: z.int().min(0).describe('How many events came before this line.'),
    chain: z.string().describe('The head of the hash chain.'),
    position: z.string().describe('The position in the log that the events reflect.'),
  })
  .meta({ id: 'LedgerEnd' });

/** A line of the ledger of a balance. */
export const ledgerLineSchema = z
  .union([ledgerEventSchema, ledgerEndSchema])
  .meta({ id: 'LedgerLine' });
export type LedgerEnd = z.infer<typeof ledgerEndSchema>;
