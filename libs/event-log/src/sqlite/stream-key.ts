import type { StreamName } from '@refledger/contracts';
import { streamPrefix } from '@refledger/contracts/values';

/**
 * The number that identifies a stream in the index: 8 bits from its kind (its name up to the first
 * dash), 40 bits from its whole name. Two streams may share a key, so users of a key must also
 * compare names. It is part of the file's format and never changes.
 */
export const streamKey = (stream: StreamName): number =>
  kindOf(stream, kindEnd(stream)) * namesOfKind + (hash(stream, 1) % namesOfKind);

/**
 * The range of keys of all streams of the prefix's kind, from the first up to but not including the
 * second; undefined when the prefix names no kind.
 */
export const keysOfKind = (prefix: string): readonly [number, number] | undefined => {
  const end = kindEnd(prefix);
  if (end === prefix.length) return undefined;
  const first = kindOf(prefix, end) * namesOfKind;
  return [first, first + namesOfKind];
};

const namesOfKind = 2 ** 40;

const kindEnd = (name: string): number => {
  const dash = name.indexOf('-', streamPrefix.length);
  return dash === -1 ? name.length : dash;
};

const kindOf = (name: string, end: number): number =>
  hash(name.slice(streamPrefix.length, end), 2) % 256;

/** A well-mixed 53-bit hash of a short string (cyrb53, public domain). */
const hash = (text: string, seed: number): number => {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  high =
    Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low =
    Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0);
};
