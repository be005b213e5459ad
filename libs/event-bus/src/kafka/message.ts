import {
  eventIdOfPublic,
  fromJson,
  isPublicEventType,
  publicEventId,
  recordObjectOf,
  toJson,
  toPosition,
  type AccountId,
  type PublicEventType,
  type PublicRecord,
} from '@refledger/contracts';
import { UnreadableEvent } from '@refledger/event-log';
import type { KafkaMessage, Message } from 'kafkajs';
import type { PublishedRecord } from '../event-bus.js';

/**
 * Encodes a record as a CloudEvent 1.0 in binary mode (Kafka protocol binding): the headers hold
 * the attributes, the value is the record.
 */
export const toMessage = (
  { eventId, type, accountId, key, position, revision, timestamp, record }: PublishedRecord,
  logId: string,
) =>
  ({
    key,
    value: toJson(record),
    headers: {
      ce_specversion: '1.0',
      ce_id: publicEventId(eventId),
      ce_source: sourcePrefix + logId,
      ce_type: type,
      ce_subject: record.id,
      ce_time: timestamp,
      ce_accountid: accountId,
      ce_position: position,
      ce_revision: String(revision),
      'content-type': 'application/json',
    },
  }) satisfies Message;

/** The result of decoding a message from Refledger's topics. */
export type ReadMessage =
  | { readonly kind: 'record'; readonly record: PublishedRecord }
  /** A message of this log that this release can't read. */
  | { readonly kind: 'unreadable'; readonly error: UnreadableEvent }
  /** A message of another Refledger log, whose positions mean nothing here. */
  | { readonly kind: 'of another log'; readonly logId: string }
  | { readonly kind: 'foreign'; readonly reason: string };

/** Decodes a message of a record topic. */
export const readMessage = (
  { key, value, headers = {} }: Pick<KafkaMessage, 'key' | 'value' | 'headers'>,
  logId: string,
): ReadMessage => {
  const header = (name: string): string => String(headers[name] ?? '');
  const source = header('ce_source');
  if (header('ce_specversion') !== '1.0' || !source.startsWith(sourcePrefix))
    return { kind: 'foreign', reason: 'it is not a CloudEvent from this service' };
  if (source !== sourcePrefix + logId)
    return { kind: 'of another log', logId: source.slice(sourcePrefix.length) };
  const eventId = eventIdOfPublic(header('ce_id'));
  const position = toPosition(header('ce_position'));
  if (eventId === undefined || position === undefined)
    return {
      kind: 'foreign',
      reason: 'it claims to be from this service but lacks an event id and a position',
    };
  const type = header('ce_type');
  const unreadable = (why: string): ReadMessage => ({
    kind: 'unreadable',
    error: new UnreadableEvent(
      { id: eventId, position, type, stream: `refledger.${header('ce_subject')}` },
      why,
    ),
  });
  if (!isPublicEventType(type))
    return unreadable(`this release does not know its type ${JSON.stringify(type)}`);
  const record = parse(value);
  if (!isRecordOf(type, record)) return unreadable('its message contains no record');
  return {
    kind: 'record',
    record: {
      eventId,
      type,
      position,
      record,
      accountId: header('ce_accountid') as AccountId,
      key: String(key),
      revision: Number(header('ce_revision')),
      timestamp: header('ce_time'),
    },
  };
};

const sourcePrefix = '/refledger/logs/';

const parse = (value: Buffer | null): unknown => {
  try {
    return fromJson(String(value));
  } catch {
    return undefined;
  }
};

/**
 * A decoding boundary: Refledger trusts the content of its own messages, including fields that a
 * newer release added.
 */
const isRecordOf = (kind: PublicEventType, value: unknown): value is PublicRecord =>
  typeof value === 'object' &&
  value !== null &&
  'object' in value &&
  'id' in value &&
  value.object !== undefined &&
  value.object === recordObjectOf(kind);
