import { hash, randomBytes, randomUUID } from 'node:crypto';
import { v5 } from 'uuid';
import { z } from 'zod';
import { fromBase32, toBase32 } from './base32.js';

/**
 * The prefix of an id says which kind of thing it names. 26 characters of base32 (128 bits) follow.
 */
export const idPrefixes = {
  conversion: 'conv_',
  affiliate: 'aff_',
  program: 'prog_',
  endpoint: 'whk_',
  event: 'evt_',
  delivery: 'dlv_',
  replay: 'rpl_',
  balance: 'bal_',
  entry: 'ent_',
  adjustment: 'adj_',
  payout: 'pay_',
  run: 'run_',
  account: 'acct_',
  key: 'key_',
} as const;
/** How a description names one thing of each kind. */
export const idNouns: Readonly<Record<keyof typeof idPrefixes, string>> = {
  conversion: 'conversion',
  affiliate: 'affiliate',
  program: 'program',
  endpoint: 'webhook endpoint',
  event: 'event',
  delivery: 'delivery',
  replay: 'replay',
  balance: 'balance',
  entry: 'entry',
  adjustment: 'adjustment',
  payout: 'payout',
  run: 'payout run',
  account: 'account',
  key: 'API key',
};
/** The kinds of things that have an id. */
export type IdKind = keyof typeof idPrefixes;
/** The id of a thing of this kind, as text with a brand. */
export type Id<K extends IdKind> = `${(typeof idPrefixes)[K]}${string}`;

export type ConversionId = Id<'conversion'>;
export type AffiliateId = Id<'affiliate'>;
export type ProgramId = Id<'program'>;
export type EndpointId = Id<'endpoint'>;
export type PublicEventId = Id<'event'>;
export type AdjustmentId = Id<'adjustment'>;
export type DeliveryId = Id<'delivery'>;
export type ReplayId = Id<'replay'>;
export type BalanceId = Id<'balance'>;
export type EntryId = Id<'entry'>;
export type PayoutId = Id<'payout'>;
export type RunId = Id<'run'>;
export type AccountId = Id<'account'>;
export type KeyId = Id<'key'>;
/** The UUID of an event in the log. */
export type EventId = string & { readonly __brand?: 'EventId' };

const idOf = <K extends IdKind>(kind: K, bytes: Uint8Array): Id<K> =>
  `${idPrefixes[kind]}${toBase32(bytes)}` as Id<K>;

/** Returns a random id. */
export const newId = <K extends IdKind>(kind: K): Id<K> => idOf(kind, randomBytes(16));

/**
 * Returns an id derived from these parts, always the same for the same parts. It hashes each part
 * preceded by its length, so no two different lists of parts give the same input.
 */
export const derivedId = <K extends IdKind>(kind: K, ...parts: readonly string[]): Id<K> =>
  idOf(kind, hashOf(kind, ...parts).subarray(0, 16));

/**
 * Like `derivedId`, but for records created over time. These ids sort by their instant
 * (milliseconds since 1970), so an index over many of them grows only at its end.
 */
export const datedId = <K extends IdKind>(
  kind: K,
  at: number,
  ...parts: readonly string[]
): Id<K> => {
  const bytes = hashOf(kind, ...parts).subarray(0, 16);
  bytes.writeUIntBE(Math.max(0, at), 0, 6);
  return idOf(kind, bytes);
};

/** Returns the SHA-256 of the parts, each preceded by its length in bytes. */
export const hashOf = (...parts: readonly string[]): Buffer => {
  let text = '';
  for (const part of parts) text += `${Buffer.byteLength(part)}:${part}`;
  return hash('sha256', text, 'buffer');
};

/**
 * Returns the public id of an event, by which receivers dedupe: `evt_` and the log event's UUID in
 * base32.
 */
export const publicEventId = (id: EventId): PublicEventId => idOf('event', bytesOfUuid(id));

/**
 * Returns the id of the log event with this public id; undefined when the text is not a public
 * event id.
 */
export const eventIdOfPublic = (id: string): EventId | undefined => {
  const bytes = id.startsWith(idPrefixes.event)
    ? fromBase32(id.slice(idPrefixes.event.length))
    : undefined;
  return bytes?.length === 16 ? uuidOf(bytes) : undefined;
};

/**
 * Returns a random id for a command: new for every request, never derived from anything a client
 * sent.
 */
export const newCommandId = (): string => randomUUID();

/**
 * Returns the id of the event at `index` of an append: a UUID version 5 (RFC 9562 §5.5). Repeating
 * the append gives the same id; another attempt or another request never does.
 */
export const eventIdOf = (
  commandId: string,
  stream: string,
  attempt: number,
  index: number,
): EventId => v5(Buffer.from(`${stream}/${attempt}/${index}`), bytesOfUuid(commandId));

/** Whether text has the form of an id of this kind. */
export const isId = <K extends IdKind>(kind: K, text: string): text is Id<K> =>
  text.startsWith(idPrefixes[kind]) && bodyOf(kind).test(text.slice(idPrefixes[kind].length));

const bodyOf = (kind: IdKind): RegExp => (kind === 'program' ? chosenBody : idBody);
/** The text after the prefix of an id that the service generates. */
const idBody = /^[0-9a-hjkmnp-tv-z]{26}$/;
/** The text after the prefix of an id that a client may choose. */
const chosenBody = /^[A-Za-z0-9_-]{1,64}$/;

/** The pattern of an id of this kind, as JSON Schema writes it. */
export const idPatternOf = (kind: IdKind): string =>
  `^${idPrefixes[kind]}${bodyOf(kind).source.slice('^'.length)}`;

export const exampleIdOf = (kind: IdKind): string =>
  kind === 'program' ? 'prog_spring' : `${idPrefixes[kind]}${'0'.repeat(25)}1`;

/** The schema of an id that the service generates. */
export const idSchema = <K extends IdKind>(kind: K) =>
  z
    .templateLiteral([idPrefixes[kind], z.string().regex(idBody)])
    .meta({ example: exampleIdOf(kind) });

/** The schema of a program's id, which a client may choose. */
export const programIdSchema = z
  .templateLiteral([idPrefixes.program, z.string().regex(chosenBody)], {
    error: 'must be prog_ followed by 1 to 64 characters of A-Z, a-z, 0-9, _ and -',
  })
  .meta({ example: exampleIdOf('program') });

const bytesOfUuid = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex');
const uuidOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
