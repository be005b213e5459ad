import { z } from 'zod';
import { instantSchema } from '../time.js';
import type { AggregateSpec, EventsOf } from '../shared/aggregate.js';

/**
 * The format of everything recorded. A log in another format is refused. Before the first release, renaming
 * anything raises it.
 */
export const logFormat = 4;

/** Names a backup by where its copy of the log ends, and when it was made. */
export const backupPointSchema = z.strictObject({
  position: z.string().describe("The position of the copied log's last event."),
  event_id: z.string(),
  time: instantSchema,
});
export type BackupPoint = z.infer<typeof backupPointSchema>;

/**
 * Stream `refledger.log`: starts with the first event of every log, which gives the log its id.
 * The key store follows, and each restored backup.
 */
export const log = {
  stream: [],
  events: {
    'log.opened': z.strictObject({ log_id: z.string(), format: z.literal(logFormat) }),
    'log.key_store_recorded': z
      .strictObject({ key_store_id: z.string() })
      .describe(
        'The key store that holds the keys of this log. It is recorded before the first key is made. From then on no process starts with another key store, or without one.',
      ),
    'log.restored': backupPointSchema.describe(
      'This log was restored from a backup and has taken the place of the original. Events that the original recorded after `position` are not in this log, whose later positions and revisions may belong to other events. In a copied log the position differs, and the event id identifies it.',
    ),
  },
} as const satisfies AggregateSpec;
export type LogEvent = EventsOf<typeof log.events>;
