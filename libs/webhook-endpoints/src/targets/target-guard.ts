import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ipv4Ranges, ipv6Ranges, type RangeKind } from './address-ranges.js';

/**
 * The values of WEBHOOK_ALLOW_PRIVATE_TARGETS. `true` allows every address except link-local and
 * cloud metadata ones, which are never allowed.
 */
export type PrivateTargets = 'false' | 'loopback' | 'true';

/** Whether a target is allowed and, if not, why. */
export type Verdict =
  { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/**
 * Whether a request may go to this IP address. If the address embeds an IPv4 address, that one is
 * checked as well.
 */
export function checkAddress(address: string, mode: PrivateTargets): Verdict {
  // ipaddr.js also reads shortened and octal forms, which other parsers read differently. Only
  // unambiguous addresses are accepted.
  if (isIP(address) === 0) return refused('not an IP address');
  const kind = kindsOf(ipaddr.parse(address)).find((candidate) => !lifts(mode, candidate));
  return kind === undefined
    ? { allowed: true }
    : refused(`address ${address} is not allowed (${kind})`);
}

/**
 * Checks the URL itself: its scheme, its user info, and its host if that is an address (in any
 * notation) or names this machine. The addresses of any other host name are checked when
 * connecting.
 */
export function checkTarget(url: string, mode: PrivateTargets): Verdict {
  if (!URL.canParse(url)) return refused('not an absolute URL');
  const { protocol, username, password, hostname } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:')
    return refused('only http and https are allowed');
  if (username !== '' || password !== '')
    return refused('a user name or password in the URL is not allowed');
  // The URL parser has already normalised 0x7f.1, 2130706433 and 0177.0.0.1 to one address, with or
  // without a trailing dot.
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return checkAddress(host, mode);
  if (mode === 'false' && /(^|\.)localhost\.*$/.test(host))
    return refused(`host ${host} is not allowed (loopback)`);
  return { allowed: true };
}

/**
 * The URL as the WHATWG parser normalises it, without its fragment. Endpoints are compared by it.
 * Throws TypeError for an invalid URL.
 */
export function normalizeTarget(url: string): string {
  const normal = new URL(url);
  normal.hash = '';
  return normal.href;
}

const refused = (reason: string): Verdict => ({ allowed: false, reason });

function lifts(mode: PrivateTargets, kind: RangeKind): boolean {
  if (kind === 'link-local' || kind === 'cloud metadata') return false;
  return mode === 'true' || (mode === 'loopback' && kind === 'loopback');
}

/** The ranges that contain an address or an IPv4 address that it may embed. */
function kindsOf(address: ipaddr.IPv4 | ipaddr.IPv6): readonly RangeKind[] {
  if (address instanceof ipaddr.IPv4) return firstOf(ipv4Ranges, address);
  const bytes = address.toByteArray();
  // The machine connects to the IPv4 address of a mapped address itself, and the network's NAT64
  // does so for an address under its prefix. A loopback address behind NAT64 is not this machine's,
  // so it counts as NAT64.
  if (address.match(mapped)) return firstOf(ipv4Ranges, ipv4At(bytes, [12, 13, 14, 15]));
  if (address.match(nat64))
    return firstOf(ipv4Ranges, ipv4At(bytes, [12, 13, 14, 15])).map((kind) =>
      kind === 'loopback' ? 'NAT64' : kind,
    );
  return [
    ...firstOf(ipv6Ranges, address),
    ...embeddings
      .filter(([within]) => address.match(within))
      .flatMap(([, offsets, mask = 0]) => forbidden(ipv4At(bytes, offsets, mask))),
  ];
}

const mapped = ipaddr.IPv6.parseCIDR('::ffff:0:0/96');
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * IPv6 ranges whose addresses embed an IPv4 address in these bytes. All are refused by default; the
 * embedded address decides whether `true` allows them.
 */
const embeddings = (
  [
    ['::/96', [12, 13, 14, 15]],
    ['::ffff:0:0:0/96', [12, 13, 14, 15]],
    ['2002::/16', [2, 3, 4, 5]],
    ['2001::/32', [4, 5, 6, 7]], // the Teredo server
    ['2001::/32', [12, 13, 14, 15], 0xff], // the Teredo client, inverted
    // RFC 6052 (2.2) with prefixes of 48, 56, 64 and 96 bits
    ['64:ff9b:1::/48', [6, 7, 9, 10]],
    ['64:ff9b:1::/48', [7, 9, 10, 11]],
    ['64:ff9b:1::/48', [9, 10, 11, 12]],
    ['64:ff9b:1::/48', [12, 13, 14, 15]],
  ] as const
).map(([cidr, offsets, mask]) => [ipaddr.IPv6.parseCIDR(cidr), offsets, mask] as const);

function ipv4At(bytes: readonly number[], offsets: readonly number[], mask = 0): ipaddr.IPv4 {
  return new ipaddr.IPv4(offsets.map((offset) => (bytes[offset] ?? 0) ^ mask));
}

const forbidden = (address: ipaddr.IPv4): readonly RangeKind[] =>
  firstOf(ipv4Ranges, address).filter((kind) => kind === 'link-local' || kind === 'cloud metadata');

function firstOf<T extends ipaddr.IPv4 | ipaddr.IPv6>(
  ranges: readonly { readonly kind: RangeKind; readonly cidr: [T, number] }[],
  address: T,
): readonly RangeKind[] {
  const found = ranges.find(({ cidr }) => address.match(cidr));
  return found === undefined ? [] : [found.kind];
}
