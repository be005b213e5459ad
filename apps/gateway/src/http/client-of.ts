import { isIPv6 } from 'node:net';

/**
 * The client behind a remote address. An IPv6 client usually has a whole /64 (RFC 4291 §2.5.1), so
 * the first half of its address identifies it.
 */
export const clientOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = '', tail = ''] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return [...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':');
};
