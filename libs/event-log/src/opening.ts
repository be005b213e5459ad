import { eventSchemaVersion, isObject, logFormat, streams, type LogId } from '@refledger/contracts';
import { encodeAppend, type EncodedAppend } from './encode-append.js';
import { unusable } from './event-log-error.js';

/** The data of the first event of a new log. */
export interface NewLog {
  readonly logId: LogId;
  /** A UUID: the id of the event. */
  readonly eventId: string;
  readonly recordedAt: string;
}

/** The event that gives a new log its id. */
export const opening = ({ logId, eventId, recordedAt }: NewLog): EncodedAppend =>
  encodeAppend(
    streams.log,
    [
      {
        id: eventId,
        type: 'log.opened',
        data: { log_id: logId, format: logFormat },
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

/**
 * The log's id from its first event. Throws `unusable` for anything but a log of this format;
 * `where` names the log in the message.
 */
export const logIdOf = (
  first: { readonly type: string; readonly data: unknown },
  where: string,
): LogId => {
  const data = isObject(first.data) ? first.data : {};
  // format 1 has no such field
  const { log_id: id, format = 1 }: Readonly<Record<string, unknown>> = data;
  if (first.type !== 'log.opened' || typeof id !== 'string')
    throw unusable(
      `${where}: ${streams.log} is not the stream of a Refledger event log. Use a log that Refledger created, or an empty one.`,
    );
  if (format !== logFormat)
    throw unusable(
      `${where}: this event log has format ${String(format)}, but this version reads format ${logFormat}. Use the version that created it, or start with an empty log and empty stores.`,
    );
  return id;
};
