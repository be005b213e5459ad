import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  deliveryHeaders as headersOf,
  newWebhookSecret,
  signingKeys,
  type SignedAttempt,
} from './signature.js';

const attempt = {
  eventId: 'evt_0123456789abcdefghjkmnpqrs',
  type: 'conversion.approved',
  deliveryId: 'dlv_00000000000000000000000001',
  body: '{"id":"evt_01","name":"Zoë 🎉"}',
  revision: 7,
  at: new Date('2026-01-01T00:00:00.999Z'),
  version: '1.2.3',
} as const;

const deliveryHeaders = ({
  secret,
  ...signed
}: Omit<SignedAttempt, 'keys'> & { readonly secret: string }) =>
  headersOf({ ...signed, keys: signingKeys(secret) });

// Computed once with Python's hmac and base64, not with this code.
const vectors = [
  {
    what: 'a generated secret',
    secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
    plain: 'c0cd9b768cd0e27b899fd232d67f64564aacd3d6bebd4b2c09426f021e1cb354',
    standard: 'NDuwdvwajhflLohHAcyedW6uLk0cbmHlM/m3iW4ITIo=',
  },
  {
    what: 'a client’s own secret',
    secret: 'my own secret, sixteen+',
    plain: 'd37a9d842be12aa85060152a6d571217115422a7793f4c7ca49bd82db66d6d3f',
    standard: 'xGRIviWZ+CcpeFjiUNt68u/F82hhGSohxQZE5MU4jNs=',
  },
  {
    what: 'a client’s own secret in the standard’s form',
    secret: 'whsec_YWJjZGVmZ2hpamts',
    plain: '84a09b60cb658eb60a8d066cb0f2f872ea3caa3a5566611078dc01e87b3632be',
    standard: 'B+bhlr0X2o1YAi5GDReSCnoZcrA6aZzAdXDgINpJ7no=',
  },
  {
    what: 'a client’s own secret that only starts like the standard’s',
    secret: 'whsec_not base64 at all',
    plain: 'ec39d927a9c7edfea7056af5c903863bc0fe0aa2829bb34768b29c650fdd4924',
    standard: 'aOGFwdnuO20pBHu+1mLJkbbVorQmvusTpZfAYeQbhfo=',
  },
  {
    what: 'a client’s own secret whose base64 lacks its padding',
    secret: 'whsec_YWJjZGVmZ2hpamtsbQ',
    plain: 'a6205f01285444b0dae4f36a6b9230215f679ec3fcea1d48727c5912ea18d34b',
    standard: 'GMlykEBrooxYFup+lw9wknmHa5nEZius7Pv15bnlNfA=',
  },
];

it('signs with two secrets during a rotation: the plain signature with the earlier one, the standard one with both', () => {
  const [next, earlier] = vectors;
  if (next === undefined || earlier === undefined) throw new Error('no vectors');
  const headers = headersOf({
    ...attempt,
    keys: signingKeys(next.secret),
    previous: signingKeys(earlier.secret),
  });
  expect(headers['X-Service-Signature']).toBe(earlier.plain);
  expect(headers['webhook-signature']).toBe(`v1,${next.standard} v1,${earlier.standard}`);
});

interface PublishedVector {
  readonly name: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>> & { readonly 'webhook-id': 'evt_' };
  readonly body_base64: string;
  readonly expected: { readonly x_service_signature: boolean; readonly webhook_signature: boolean };
  readonly only_the_time_is_wrong?: true;
}
const inDocs = (
  JSON.parse(readFileSync(join(__dirname, '../../../../docs/vectors/webhooks.json'), 'utf8')) as {
    vectors: PublishedVector[];
  }
).vectors;
const published = inDocs.filter(({ expected }) => expected.webhook_signature);
const forged = inDocs.filter(
  ({ expected, only_the_time_is_wrong }) =>
    !expected.webhook_signature && only_the_time_is_wrong === undefined,
);

describe('deliveryHeaders', () => {
  it.each(vectors)('signs with $what as independent code does', ({ secret, plain, standard }) => {
    expect(deliveryHeaders({ ...attempt, secret })).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Refledger/1.2.3',
      'X-Service-Signature': plain,
      'X-Service-Event': 'conversion.approved',
      'X-Service-Delivery': 'dlv_00000000000000000000000001',
      'X-Service-Revision': '7',
      'webhook-id': 'evt_0123456789abcdefghjkmnpqrs',
      'webhook-timestamp': '1767225600',
      'webhook-signature': `v1,${standard}`,
    });
  });

  it.each(published.filter(({ name }) => !name.startsWith('several')))(
    'signs like docs/vectors: $name',
    ({ secret, headers, body_base64 }) => {
      const { 'webhook-id': eventId, 'webhook-timestamp': timestamp } = headers;
      const signed = deliveryHeaders({
        ...attempt,
        secret,
        eventId,
        body: Buffer.from(body_base64, 'base64').toString('utf8'),
        at: new Date(Number(timestamp) * 1_000),
      });

      expect(signed).toMatchObject({
        'X-Service-Signature': headers['x-service-signature'],
        'webhook-timestamp': timestamp,
        'webhook-signature': headers['webhook-signature'],
      });
    },
  );

  it.each(forged)(
    'never sends what docs/vectors calls forged: $name',
    ({ secret, headers, body_base64, expected }) => {
      const { 'webhook-id': eventId, 'webhook-timestamp': timestamp } = headers;
      const signed = deliveryHeaders({
        ...attempt,
        secret,
        eventId,
        body: Buffer.from(body_base64, 'base64').toString('utf8'),
        at: new Date(Number(timestamp) * 1_000),
      });

      expect(signed['X-Service-Signature'] === headers['x-service-signature']).toBe(
        expected.x_service_signature,
      );
      expect(signed['webhook-signature']).not.toBe(headers['webhook-signature']);
    },
  );

  it('gives the published vector of Standard Webhooks', () => {
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek' as 'evt_'; // not one of Refledger's ids
    const headers = deliveryHeaders({
      ...attempt,
      eventId: id,
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      body: '{"test": 2432232314}',
      at: new Date(1614265330_000),
    });

    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('signs a later attempt again, with the same body', () => {
    const secret = newWebhookSecret();
    const first = deliveryHeaders({ ...attempt, secret });
    const second = deliveryHeaders({ ...attempt, secret, at: new Date('2026-01-01T00:00:05Z') });

    expect(second['X-Service-Signature']).toBe(first['X-Service-Signature']);
    expect(second['webhook-id']).toBe(first['webhook-id']);
    expect(second['webhook-timestamp']).toBe('1767225605');
    expect(second['webhook-signature']).not.toBe(first['webhook-signature']);
  });
});

describe('newWebhookSecret', () => {
  it('is whsec_ and 32 bytes in base64, different each time', () => {
    const secrets = Array.from({ length: 50 }, newWebhookSecret);

    expect(new Set(secrets).size).toBe(50);
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });
});
