import { createHash } from 'node:crypto';
import { requestIdOf, responseRequestId } from './request-id.js';

const sending = (id: string) => ({ headers: { 'x-request-id': id } });

it.each([
  '0b9e0f0e-8f0a-4c39-9d2b-6c0d7b1c2a11',
  '0B9E0F0E-8F0A-4C39-9D2B-6C0D7B1C2A11',
  '01997d6e-5a4f-7cc3-98c4-dc0c0c07398f',
  '0b9e0f0e8f0a4c399d2b6c0d7b1c2a11',
])('keeps the UUID %s', (id) => {
  expect(requestIdOf(sending(id))).toBe(id);
});

it.each([
  'jane@example.com',
  'a',
  'x'.repeat(128),
  '0b9e0f0e8f0a-4c39-9d2b-6c0d7b1c2a11',
  '0b9e0f0e-8f0a-4c39-9d2b-6c0d7b1c2a1g',
  '0b9e0f0e-8f0a-4c39-9d2b-6c0d7b1c2a11 jane',
  ' 0b9e0f0e-8f0a-4c39-9d2b-6c0d7b1c2a11',
])('keeps only the hash of %j, which the response still has', (id) => {
  const digits = createHash('sha256').update(id).digest('hex').slice(0, 32);
  const stored = requestIdOf(sending(id));
  expect(stored).toBe(`sha256-${digits}`);
  expect(responseRequestId({ raw: sending(id), id: stored })).toBe(id);
});

it.each([undefined, '', 'x'.repeat(129), 'caf\u00e9'])('generates an id for %j', (sent) => {
  const raw = { headers: { 'x-request-id': sent } };
  const id = requestIdOf(raw);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(requestIdOf(raw)).not.toBe(id);
  expect(responseRequestId({ raw, id })).toBe(id);
});
