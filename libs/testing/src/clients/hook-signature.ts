import { createHmac } from 'node:crypto';
import type { Hook } from './hook-receiver.js';

/**
 * Returns the faults in the headers and signatures of a webhook. The checks follow the text of the
 * contract and share no code with the service.
 */
export const signatureFaults = (
  { method, headers, bytes, envelope, at }: Hook,
  secret: string,
): string[] => {
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  const bodySignature = createHmac('sha256', Buffer.from(secret, 'utf8'))
    .update(bytes)
    .digest('hex');
  const key = secret.startsWith('whsec_')
    ? Buffer.from(secret.slice('whsec_'.length), 'base64')
    : Buffer.from(secret, 'utf8');
  const standardSignature = createHmac('sha256', key)
    .update(Buffer.concat([Buffer.from(`${id}.${timestamp}.`), bytes]))
    .digest('base64');
  const faults: readonly (readonly [boolean, string])[] = [
    [method === 'POST', 'method'],
    [/^application\/json(;|$)/.test(headers['content-type'] ?? ''), 'Content-Type'],
    [headers['x-service-signature'] === bodySignature, 'X-Service-Signature'],
    [id === envelope.id, 'webhook-id'],
    [
      /^\d+$/.test(timestamp) && Math.abs(Number(timestamp) * 1000 - at) < 60_000,
      'webhook-timestamp',
    ],
    [headers['webhook-signature'] === `v1,${standardSignature}`, 'webhook-signature'],
    [headers['x-service-event'] === envelope.type, 'X-Service-Event'],
    [
      /^dlv_[0-9a-hjkmnp-tv-z]{26}$/.test(String(headers['x-service-delivery'])),
      'X-Service-Delivery',
    ],
    [headers['x-service-revision'] === revisionIn(envelope), 'X-Service-Revision'],
    [/^Refledger\/\S+$/.test(headers['user-agent'] ?? ''), 'User-Agent'],
  ];
  return faults.filter(([right]) => !right).map(([, name]) => name);
};

/** The revision of the record as the header shows it; undefined for a record that has none. */
const revisionIn = ({ data }: Hook['envelope']): string | undefined => {
  // decoding boundary: the body may hold any record
  const { revision } = data as { readonly revision?: number | null };
  return typeof revision === 'number' ? String(revision) : undefined;
};
