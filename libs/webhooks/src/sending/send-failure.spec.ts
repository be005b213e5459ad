import { causeOf } from './send-failure.js';

const error = (code?: string): Error => Object.assign(new Error('whsec_ in the message'), { code });

describe('the cause of a failure', () => {
  it.each([
    ['ENOTFOUND', 'dns', 'name not found'],
    ['EAI_AGAIN', 'dns', 'name lookup failed'],
    ['ETIMEDOUT', 'timeout', 'connection timed out'],
    ['UND_ERR_HEADERS_OVERFLOW', 'too_long', 'the response headers are too large'],
    ['ECONNRESET', 'connection', 'connection reset'],
    ['EHOSTUNREACH', 'connection', 'host unreachable'],
    ['EPROTO', 'tls', 'TLS handshake failed'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', 'TLS handshake failed'],
    ['CERT_HAS_EXPIRED', 'tls', 'the certificate is not trusted (cert has expired)'],
    [
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'tls',
      'the certificate is not trusted (unable to verify leaf signature)',
    ],
    [
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'tls',
      'the certificate is not trusted (unable to get issuer cert locally)',
    ],
    ['ESOMETHING', 'connection', 'the request failed (ESOMETHING)'],
  ] as const)('%s: %s, %s', (code, outcome, text) => {
    expect(causeOf(error(code))).toEqual({ outcome, message: text });
  });

  it.each([error(), 'text', null, undefined, { code: 1 }])(
    'reveals nothing of the unknown error %p',
    (unknown) => {
      expect(causeOf(unknown)).toEqual({ outcome: 'connection', message: 'the request failed' });
    },
  );
});
