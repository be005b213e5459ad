import ipaddr from 'ipaddr.js';

/**
 * The kind of range for which an address is refused as a target. `link-local` and `cloud metadata`
 * are never allowed; WEBHOOK_ALLOW_PRIVATE_TARGETS can allow `loopback` alone, or all other kinds.
 */
export type RangeKind =
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'cloud metadata'
  | 'unique-local'
  | 'carrier-grade NAT'
  | 'site-local'
  | 'this network'
  | 'unspecified'
  | 'multicast'
  | 'broadcast'
  | 'documentation'
  | 'benchmarking'
  | '6to4'
  | 'Teredo'
  | 'NAT64'
  | 'IPv4-compatible'
  | 'reserved';

/** IPv4 ranges. The first one that contains an address decides. */
export const ipv4Ranges = table<ipaddr.IPv4>(ipaddr.IPv4, [
  [
    'cloud metadata',
    '169.254.169.254/32',
    '168.63.129.16/32',
    '192.0.0.192/32',
    '100.100.100.200/32',
  ],
  ['this network', '0.0.0.0/8'],
  ['private', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  ['carrier-grade NAT', '100.64.0.0/10'],
  ['loopback', '127.0.0.0/8'],
  ['link-local', '169.254.0.0/16'],
  ['documentation', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'],
  ['6to4', '192.88.99.0/24'],
  ['benchmarking', '198.18.0.0/15'],
  ['multicast', '224.0.0.0/4'],
  ['broadcast', '255.255.255.255/32'],
  ['reserved', '192.0.0.0/24', '240.0.0.0/4'],
]);

/**
 * IPv6 ranges. The first one that contains an address decides. They cover everything outside of
 * 2000::/3 (global unicast) as reserved.
 */
export const ipv6Ranges = table<ipaddr.IPv6>(ipaddr.IPv6, [
  ['cloud metadata', 'fd00:ec2::/32', 'fd20:ce::254/128'],
  ['unspecified', '::/128'],
  ['loopback', '::1/128'],
  ['IPv4-compatible', '::/96'],
  ['NAT64', '64:ff9b:1::/48'],
  ['unique-local', 'fc00::/7'],
  ['link-local', 'fe80::/10'],
  ['site-local', 'fec0::/10'],
  ['multicast', 'ff00::/8'],
  ['Teredo', '2001::/32'],
  ['benchmarking', '2001:2::/48'],
  ['6to4', '2002::/16'],
  ['documentation', '2001:db8::/32', '3fff::/20'],
  ['reserved', '2001::/23', '::/3', '4000::/2', '8000::/1'],
]);

type Ranges<T> = readonly { readonly kind: RangeKind; readonly cidr: [T, number] }[];

function table<T extends ipaddr.IPv4 | ipaddr.IPv6>(
  family: { parseCIDR(cidr: string): [T, number] },
  rows: readonly (readonly [RangeKind, ...string[]])[],
): Ranges<T> {
  return rows.flatMap(([kind, ...cidrs]) =>
    cidrs.map((cidr) => ({ kind, cidr: family.parseCIDR(cidr) })),
  );
}
