import fc from 'fast-check';
import { checkAddress, checkTarget, normalizeTarget, type PrivateTargets } from './target-guard.js';

const modes: readonly PrivateTargets[] = ['false', 'loopback', 'true'];
const allowedIn = (address: string): readonly PrivateTargets[] =>
  modes.filter((mode) => checkAddress(address, mode).allowed);
const refusal = (kind: string, first: string) => ({
  allowed: false,
  reason: `address ${first} is not allowed (${kind})`,
});

// The first and last address of every range in IANA's special-purpose registries.
const allowedByTrue = [
  ['this network', '0.0.0.0', '0.255.255.255'],
  ['private', '10.0.0.0', '10.255.255.255'],
  ['private', '172.16.0.0', '172.31.255.255'],
  ['private', '192.168.0.0', '192.168.255.255'],
  ['carrier-grade NAT', '100.64.0.0', '100.127.255.255'],
  ['reserved', '192.0.0.0', '192.0.0.255'],
  ['documentation', '192.0.2.0', '192.0.2.255'],
  ['documentation', '198.51.100.0', '198.51.100.255'],
  ['documentation', '203.0.113.0', '203.0.113.255'],
  ['6to4', '192.88.99.0', '192.88.99.255'],
  ['benchmarking', '198.18.0.0', '198.19.255.255'],
  ['multicast', '224.0.0.0', '239.255.255.255'],
  ['reserved', '240.0.0.0', '255.255.255.254'],
  ['broadcast', '255.255.255.255', '255.255.255.255'],
  ['unspecified', '::', '::'],
  ['IPv4-compatible', '::2', '::ffff:ffff'],
  ['reserved', '::1:0:0', '::fffe:ffff:ffff'],
  ['reserved', '100::', '100::ffff:ffff:ffff:ffff'],
  ['NAT64', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['reserved', '64:ff9b::1:0:0', '64:ff9b:0:ffff:ffff:ffff:ffff:ffff'],
  ['Teredo', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['reserved', '2001:1::', '2001:1:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['benchmarking', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  ['reserved', '2001:10::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['documentation', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['reserved', '4000::', '7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['reserved', '8000::', 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['unique-local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['reserved', 'fe00::', 'fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  // IPv4 addresses embedded in IPv6 addresses
  ['private', '::ffff:10.0.0.0', '::ffff:10.255.255.255'],
  ['private', '64:ff9b::10.0.0.0', '64:ff9b::10.255.255.255'],
  ['NAT64', '64:ff9b::127.0.0.0', '64:ff9b::127.255.255.255'],
  ['6to4', '2002:808:808::', '2002:a00:1::1'],
] as const;

const allowedByLoopback = [
  ['127.0.0.0', '127.255.255.255'],
  ['::1', '::1'],
  ['::ffff:127.0.0.0', '::ffff:127.255.255.255'],
] as const;

const neverAllowed = [
  ['link-local', '169.254.0.0'],
  ['link-local', '169.254.255.255'],
  ['cloud metadata', '169.254.169.254'],
  ['cloud metadata', '168.63.129.16'],
  ['cloud metadata', '192.0.0.192'],
  ['cloud metadata', '100.100.100.200'],
  ['cloud metadata', 'fd00:ec2::254'],
  ['cloud metadata', 'fd20:ce::254'],
  ['link-local', 'fe80::'],
  ['link-local', 'fe80::1%eth0'],
  ['link-local', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['cloud metadata', '::ffff:169.254.169.254'],
  ['cloud metadata', '64:ff9b::169.254.169.254'],
  ['cloud metadata', '64:ff9b::168.63.129.16'],
] as const;

const carriersOfMetadata = [
  '::169.254.169.254',
  '::ffff:0:169.254.169.254',
  '2002:a9fe:a9fe::1',
  '2001:0:a9fe:a9fe::',
  '2001:0:808:808::5601:5601', // the Teredo client, inverted
  '64:ff9b:1:a9fe:a9:fe00::',
  '64:ff9b:1:a9:fe:a9fe::',
  '64:ff9b:1::a9:fea9:fe00:0',
  '64:ff9b:1::169.254.169.254',
];

const neighbors = [
  '1.0.0.0',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '168.63.129.15',
  '168.63.129.17',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.0.1.0',
  '192.0.3.0',
  '192.31.196.1',
  '192.52.193.1',
  '192.88.98.255',
  '192.88.100.0',
  '192.167.255.255',
  '192.169.0.0',
  '192.175.48.1',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.99.255',
  '198.51.101.0',
  '203.0.112.255',
  '203.0.114.0',
  '223.255.255.255',
  '2000::',
  '2001:200::',
  '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001:db9::',
  '2003::',
  '2606:4700:4700::1111',
  '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '3fff:1000::',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
];

describe('checkAddress', () => {
  it.each(allowedByTrue)('%s: %s to %s only with true', (kind, first, last) => {
    expect(checkAddress(first, 'false')).toEqual(refusal(kind, first));
    expect(checkAddress(last, 'loopback').allowed).toBe(false);
    expect([allowedIn(first), allowedIn(last)]).toEqual([['true'], ['true']]);
  });

  it.each(allowedByLoopback)('loopback: %s to %s with loopback and true', (first, last) => {
    expect(checkAddress(first, 'false')).toEqual(refusal('loopback', first));
    expect([allowedIn(first), allowedIn(last)]).toEqual([
      ['loopback', 'true'],
      ['loopback', 'true'],
    ]);
  });

  it.each(neverAllowed)('%s: %s never', (kind, address) => {
    expect(allowedIn(address)).toEqual([]);
    expect(checkAddress(address, 'true')).toEqual(refusal(kind, address));
  });

  it.each(carriersOfMetadata)('%s never, since it embeds a cloud metadata address', (address) => {
    expect(checkAddress(address, 'true')).toEqual(refusal('cloud metadata', address));
    expect(checkAddress(address, 'false').allowed).toBe(false);
  });

  it.each(neighbors)('%s always', (address) => {
    expect(allowedIn(address)).toEqual(modes);
  });

  it.each([
    '',
    'example.com',
    '127.1',
    '0177.0.0.1',
    '010.0.0.1',
    '0x7f.0.0.1',
    '2130706433',
    '1.2.3.4.5',
    '[::1]',
    '::1::',
  ])('%j is not an address and is rejected', (text) => {
    expect(checkAddress(text, 'true')).toEqual({ allowed: false, reason: 'not an IP address' });
  });

  it('law: what is allowed in a stricter mode is allowed in a looser one, and mapping into IPv6 changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        const allowed = allowedIn(address);
        expect([[], ['true'], ['loopback', 'true'], modes]).toContainEqual(allowed);
        if (!address.includes(':')) expect(allowedIn(`::ffff:${address}`)).toEqual(allowed);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('checkTarget', () => {
  it.each([
    ['nonsense', 'not an absolute URL'],
    ['/hooks', 'not an absolute URL'],
    ['http://[fe80::1%25eth0]/', 'not an absolute URL'],
    ['ftp://example.com/', 'only http and https are allowed'],
    ['file:///etc/passwd', 'only http and https are allowed'],
    ['javascript:alert(1)', 'only http and https are allowed'],
    ['http://user@example.com/', 'a user name or password in the URL is not allowed'],
    ['http://:secret@example.com/', 'a user name or password in the URL is not allowed'],
    ['http://169.254.169.254/latest', 'address 169.254.169.254 is not allowed (cloud metadata)'],
    ['http://[::ffff:a9fe:a9fe]/', 'address ::ffff:a9fe:a9fe is not allowed (cloud metadata)'],
  ])('rejects %s in every mode: %s', (url, reason) => {
    for (const mode of modes) expect(checkTarget(url, mode)).toEqual({ allowed: false, reason });
  });

  it.each([
    'http://localhost',
    'https://LOCALHOST:8443/x',
    'http://localhost./',
    'http://a.b.localhost/',
    'http://a.localhost.:80/',
    'http://%6cocalhost/',
    'http://ｌocalhost/',
  ])('rejects %s unless loopback is allowed', (url) => {
    expect(modes.map((mode) => checkTarget(url, mode).allowed)).toEqual([false, true, true]);
  });

  it.each([
    'http://127.1/',
    'http://0x7f.1',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://１２７.0.0.1/',
    'http://[::1]:80/',
    'http://[0:0:0:0:0:ffff:127.0.0.1]/',
  ])('recognizes loopback in %s', (url) => {
    expect(checkTarget(url, 'false')).toEqual({
      allowed: false,
      reason: expect.stringMatching(/^address \S+ is not allowed \(loopback\)$/) as string,
    });
    expect(checkTarget(url, 'loopback')).toEqual({ allowed: true });
  });

  it.each([
    'https://example.com/hooks?a=1#b',
    'http://example.com:8080',
    'http://mylocalhost/',
    'http://localhost.example.com/',
    'http://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
  ])('allows %s', (url) => {
    for (const mode of modes) expect(checkTarget(url, mode)).toEqual({ allowed: true });
  });

  it('law: the verdict on an IPv4 address is the same in every notation', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.constantFrom('10.0.0.1', '127.0.0.1', '169.254.169.254', '192.168.1.1', '100.64.0.1'),
          fc.ipV4(),
        ),
        notation,
        (address, write) => {
          for (const mode of modes)
            expect(checkTarget(`http://${write(address)}:8080/path`, mode).allowed).toBe(
              checkAddress(address, mode).allowed,
            );
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('normaliseTarget', () => {
  it.each([
    ['HTTPS://Example.COM:443/a/../b#part', 'https://example.com/b'],
    ['http://example.com', 'http://example.com/'],
    ['http://example.com/#', 'http://example.com/'],
    ['http://0x7f.1/a b?c=d', 'http://127.0.0.1/a%20b?c=d'],
    ['http://example.com/?', 'http://example.com/?'],
  ])('writes %s as %s', (url, normal) => {
    expect(normalizeTarget(url)).toBe(normal);
    expect(normalizeTarget(normal)).toBe(normal);
  });

  it('throws for text that is not a URL', () => {
    expect(() => normalizeTarget('nonsense')).toThrow('Invalid URL');
  });
});

/**
 * The notations of an IPv4 address that a URL parser accepts: one to four numbers, each in decimal,
 * octal or hexadecimal, with or without a trailing dot.
 */
const notation = fc
  .record({
    parts: fc.integer({ min: 1, max: 4 }),
    bases: fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 }),
    dot: fc.constantFrom('', '.'),
  })
  .map(({ parts, bases, dot }) => (address: string): string => {
    const bytes = address.split('.').map(Number);
    const tail = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
    const numbers = [...bytes.slice(0, parts - 1), tail];
    return (
      numbers
        .map(
          (number, index) =>
            ({ 8: '0', 10: '', 16: '0x' })[bases[index] as 8 | 10 | 16] +
            number.toString(bases[index]),
        )
        .join('.') + dot
    );
  });
