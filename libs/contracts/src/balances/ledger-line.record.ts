import { z } from 'zod';
import { balance } from './balance.events.js';
import { instantSchema } from '../time.js';
import { objectOf } from '../shared/record-fields.js';

const ledgerEvents = {
  'balance.posted': 'An entry.',
  'balance.reserved': 'A payout took entries.',
  'balance.settled': 'A payout was completed.',
  'balance.released': 'A payout failed or was canceled, and its entries are open again.',
};

const chained = <K extends keyof typeof ledgerEvents>(type: K) =>
  z.strictObject({
    type: z.literal(type).describe(ledgerEvents[type]),
    data: balance.events[type].describe('As stored: the hash covers it without `chain`.'),
    position: z.string().describe('The position of the event in the log.'),
    recorded_at: instantSchema.describe('When the event was recorded.'),
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
    object: objectOf('end'),
    count: z.int().min(0).describe('How many events came before this line.'),
    chain: z.string().describe('The head of the hash chain.'),
    position: z.string().describe('The position in the log that the events reflect.'),
  })
  .meta({ id: 'LedgerEnd' });

export const ledgerLineSchema = z
  .union([ledgerEventSchema, ledgerEndSchema])
  .meta({ id: 'LedgerLine' });
export type LedgerEnd = z.infer<typeof ledgerEndSchema>;
