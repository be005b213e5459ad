import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { z } from 'zod';
import { emailPattern } from './email-pattern.js';

/** The maximum length of an address in a mail transaction, and of its local part (RFC 5321). */
const maxOctets = 254;
const maxLocalOctets = 64;

/**
 * The schema of an email address from a client, kept as it was sent: an address without quotes and
 * without an IP address in brackets (WHATWG), which may have characters other than ASCII on both
 * sides of the `@` (RFC 6531).
 */
export const emailSchema = z
  .string()
  .superRefine((email, context) => {
    const issue = issueOf(email);
    if (issue !== undefined)
      context.addIssue({ code: 'custom', message: issue.message, params: { code: issue.code } });
  })
  .meta({
    description:
      'Also an internationalized address (RFC 6531). Compared ignoring case, and by the ASCII form of its domain.',
    pattern: emailPattern,
    maxLength: maxOctets,
    example: 'ada@example.com',
  });

/**
 * The schema of an email address in a query, where a + stands for a space. It accepts more than the
 * schema of a written address, so that every stored address can be found.
 */
export const emailParameterSchema = z
  .string()
  .regex(/^[^ @]+@[^ @]+$/, {
    error: 'must be an email address such as ada@example.com (its + is sent as %2B)',
  })
  .max(maxOctets, { error: `must have at most ${maxOctets} characters` })
  .meta({ example: 'ada@example.com' });

/**
 * Normalizes an email address for comparison: claims, lists and filters all compare keys. An
 * address in ASCII keeps its characters, in lower case: the claims in existing logs are named by
 * them.
 */
export const emailKey = (email: string): string => {
  if (isAscii(email)) return email.toLowerCase();
  const { local, domain } = partsOf(email);
  // lower case may undo the composition
  const key = local.normalize('NFC').toLowerCase().normalize('NFC');
  return `${key}@${asciiDomain(domain) ?? domain.toLowerCase()}`;
};

/** Returns an email address with the ASCII form of its domain, but otherwise as it is. */
export const withAsciiDomain = (email: string): string => {
  if (isAscii(email)) return email;
  const { local, domain } = partsOf(email);
  return `${local}@${asciiDomain(domain) ?? domain}`;
};

/** Returns the first issue of an address, if it has any. */
const issueOf = (email: string): { code: string; message: string } | undefined => {
  // checked first, since the other checks take more than linear time
  if (octets(email) > maxOctets) return tooLong;
  if (hasInvisible(email)) return invisible;
  const { local, domain } = partsOf(email.normalize('NFC'));
  const ascii = isAscii(email) ? domain : asciiDomain(domain);
  if (!localSyntax.test(local) || ascii === undefined || !domainSyntax.test(ascii))
    return malformed;
  if (octets(partsOf(email).local) > maxLocalOctets) return localTooLong;
  return octets(withAsciiDomain(email)) > maxOctets ? tooLong : undefined;
};

const malformed = {
  code: 'invalid_format',
  message: 'must be an email address such as ada@example.com',
};
const invisible = {
  code: 'invisible',
  message:
    'must not have characters that are invisible or change the direction of text. Type it instead of copying it',
};
const localTooLong = {
  code: 'wrong_length',
  message: `must have at most ${maxLocalOctets} octets (UTF-8) before the @`,
};
const tooLong = {
  code: 'wrong_length',
  message: `must have at most ${maxOctets} octets (UTF-8), also with the ASCII form of its domain`,
};

const octets = (text: string): number => Buffer.byteLength(text);
const isAscii = (text: string): boolean => !/[\u0080-\uffff]/.test(text);

/** Returns the parts around the last `@`. Text without one is all domain. */
const partsOf = (email: string): { readonly local: string; readonly domain: string } => {
  const at = email.lastIndexOf('@');
  return { local: email.slice(0, Math.max(at, 0)), domain: email.slice(at + 1) };
};

const atom = String.raw`[\w!#$%&'*+/=?^\x60{|}~\-\u0080-\u{10ffff}]+`;
const localSyntax = new RegExp(String.raw`^${atom}(?:\.${atom})*$`, 'u');
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const domainSyntax = new RegExp(String.raw`^${label}(?:\.${label})*$`);

/**
 * Returns the ASCII form of a domain (UTS #46); undefined if it has none. A domain that would
 * become an IP address is not one that mail is sent to.
 */
const asciiDomain = (domain: string): string | undefined => {
  // Node reads a URL's host, and so drops `/x` and decodes `%41`
  if (!/^[A-Za-z0-9.\-\u0080-\u{10ffff}]+$/u.test(domain)) return undefined;
  const ascii = domainToASCII(domain);
  const hasHyphenAtEnd = /(?:^|\.)-|-(?:\.|$)/.test(domainToUnicode(ascii));
  return ascii === '' || isIP(ascii) !== 0 || hasHyphenAtEnd ? undefined : ascii;
};

/**
 * Whether an address has invisible characters. Code points that Unicode has not assigned count as
 * invisible: their letter case, and so the key of the address, would depend on the version of Node.
 */
const hasInvisible = (email: string): boolean =>
  /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(
    email.replaceAll(/[\u200c\u200d]/g, ''),
  ) || !(email.match(joinedWord) ?? []).every((word) => domainToASCII(word) !== '');

/**
 * A word with joiners (U+200C, U+200D). Some scripts cannot be written without them, and elsewhere
 * they are invisible. They are allowed where a domain may have them (RFC 5892, appendix A).
 */
const joinedWord = /[\p{L}\p{M}]*[\u200c\u200d][\p{L}\p{M}\u200c\u200d]*/gu;
