import { describeError } from './send-failure.js';

const error = (code?: string): Error => Object.assign(new Error('whsec_ in the message'), { code });

describe('the description of an error', () => {
  it.each([
    ['ECONNRESET', 'connection reset'],
    ['EHOSTUNREACH', 'host unreachable'],
    ['EPROTO', 'TLS handshake failed'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS handshake failed'],
    ['CERT_HAS_EXPIRED', 'the certificate is not trusted (cert has expired)'],
    [
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'the certificate is not trusted (unable to verify leaf signature)',
    ],
    [
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'the certificate is not trusted (unable to get issuer cert locally)',
    ],
    ['ESOMETHING', 'the request failed (ESOMETHING)'],
  ])('%s: %s', (code, text) => {
    expect(describeError(error(code))).toBe(text);
  });

  it.each([error(), 'text', null, undefined, { code: 1 }])(
    'reveals nothing of the unknown error %p',
    (unknown) => {
      expect(describeError(unknown)).toBe('the request failed');
    },
  );
});
