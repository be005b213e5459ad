import type { AttemptOutcome } from '@refledger/contracts';
import { errors } from 'undici';

/** The outcomes of attempts that got no complete response. */
export type FailureKind = Exclude<
  AttemptOutcome,
  'succeeded' | 'bad_status' | 'redirect' | 'unknown'
>;

/** Why a request failed: the outcome of its attempt, and a few words for a person. */
export interface FailureCause {
  readonly outcome: FailureKind;
  readonly message: string;
}

/** A failure whose message can be shown to a person as it is. */
export class SendFailure extends Error implements FailureCause {
  constructor(
    readonly outcome: FailureKind,
    message: string,
    /** The address of the connection that failed, if there was one. */
    readonly address: string | null = null,
  ) {
    super(message);
    this.name = 'SendFailure';
  }
}

/**
 * Describes a request error in a few words. For an unknown error it uses only the code, since
 * the message may contain what was sent.
 */
export function causeOf(error: unknown): FailureCause {
  if (error instanceof SendFailure) return error;
  const code = codeOf(error);
  const known = byCode[code];
  if (known !== undefined) return { outcome: known[0], message: known[1] };
  if (error instanceof errors.HTTPParserError) return connection('the response is not valid HTTP');
  if (/^(ERR_SSL|EPROTO)/.test(code)) return tls('TLS handshake failed');
  if (/CERT|SIGNATURE|CRL|CA$|ISSUER|HOSTNAME_MISMATCH/.test(code))
    return tls(`the certificate is not trusted (${code.toLowerCase().replaceAll('_', ' ')})`);
  return connection(code === '' ? 'the request failed' : `the request failed (${code})`);
}

const connection = (message: string): FailureCause => ({ outcome: 'connection', message });
const tls = (message: string): FailureCause => ({ outcome: 'tls', message });

const byCode: Readonly<Record<string, readonly [FailureKind, string]>> = {
  ECONNREFUSED: ['connection', 'connection refused'],
  ECONNRESET: ['connection', 'connection reset'],
  EPIPE: ['connection', 'connection reset'],
  UND_ERR_SOCKET: ['connection', 'connection closed before the response ended'],
  ENOTFOUND: ['dns', 'name not found'],
  ENODATA: ['dns', 'name not found'],
  EAI_AGAIN: ['dns', 'name lookup failed'],
  EAI_FAIL: ['dns', 'name lookup failed'],
  EHOSTUNREACH: ['connection', 'host unreachable'],
  ENETUNREACH: ['connection', 'network unreachable'],
  EADDRNOTAVAIL: ['connection', 'network unreachable'],
  ETIMEDOUT: ['timeout', 'connection timed out'],
  UND_ERR_CONNECT_TIMEOUT: ['timeout', 'connection timed out'],
  UND_ERR_HEADERS_OVERFLOW: ['too_long', 'the response headers are too large'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['connection', 'the response is not valid HTTP'],
  UND_ERR_INVALID_ARG: ['connection', 'the request is not valid HTTP'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['tls', 'the certificate is for another name'],
};

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
