import { errors } from 'undici';

/** A failure whose message can be shown to a person as it is. */
export class SendFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SendFailure';
  }
}

/**
 * Describes a request error in a few words. For an unknown error it uses only the code, since
 * the message may contain what was sent.
 */
export function describeError(error: unknown): string {
  if (error instanceof SendFailure) return error.message;
  const code = codeOf(error);
  const known = byCode[code];
  if (known !== undefined) return known;
  if (error instanceof errors.HTTPParserError) return 'the response is not valid HTTP';
  if (/^(ERR_SSL|EPROTO)/.test(code)) return 'TLS handshake failed';
  if (/CERT|SIGNATURE|CRL|CA$|ISSUER|HOSTNAME_MISMATCH/.test(code))
    return `the certificate is not trusted (${code.toLowerCase().replaceAll('_', ' ')})`;
  return code === '' ? 'the request failed' : `the request failed (${code})`;
}

const byCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection closed before the response ended',
  ENOTFOUND: 'name not found',
  ENODATA: 'name not found',
  EAI_AGAIN: 'name lookup failed',
  EAI_FAIL: 'name lookup failed',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EADDRNOTAVAIL: 'network unreachable',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response is not valid HTTP',
  UND_ERR_INVALID_ARG: 'the request is not valid HTTP',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
};

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
