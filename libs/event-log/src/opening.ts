import { randomUUID } from 'node:crypto';
import { eventSchemaVersion, streams, type LogId } from '@refledger/contracts';
import { encodeAppend, type EncodedAppend } from './encode-append.js';

/** The event that gives a new log its id. */
export const opening = (logId: LogId, recordedAt: string): EncodedAppend =>
  encodeAppend(
    streams.log,
    [
      {
        id: randomUUID(),
        type: 'log.opened',
        data: { log_id: logId },
        metadata: {
          account_id: null,
          actor: 'service',
          request_id: logId,
          schema: eventSchemaVersion,
          recorded_at: recordedAt,
        },
      },
    ],
    'no stream',
  );
