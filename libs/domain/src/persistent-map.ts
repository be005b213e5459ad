/**
 * An immutable map: `with` and `without` return a new one. The two share all but one of the buckets
 * that hold the keys, so with up to a few thousand entries each call costs no more than a small
 * copy, however often a fold calls it. Entries come in no particular order.
 */
export class PersistentMap<K extends string, V> implements Iterable<readonly [K, V]> {
  static readonly empty = new PersistentMap<never, never>([new Map<never, never>()], 0);

  static fromEntries<K extends string, V>(entries: Iterable<readonly [K, V]>): PersistentMap<K, V> {
    const all = new Map(entries);
    const map = new PersistentMap([all], all.size);
    return all.size > fewEntries ? map.spread() : map;
  }

  private constructor(
    /** A single bucket while there are few entries. */
    private readonly buckets: readonly ReadonlyMap<K, V>[],
    readonly size: number,
  ) {}

  get(key: K): V | undefined {
    return this.bucket(key)?.get(key);
  }

  has(key: K): boolean {
    return this.bucket(key)?.has(key) === true;
  }

  with(key: K, value: V): PersistentMap<K, V> {
    const isNew = !this.has(key);
    if (isNew && this.size === fewEntries && this.buckets.length === 1)
      return this.spread().with(key, value);
    return this.replaced(
      key,
      new Map(this.bucket(key)).set(key, value),
      isNew ? this.size + 1 : this.size,
    );
  }

  without(key: K): PersistentMap<K, V> {
    if (!this.has(key)) return this;
    const bucket = new Map(this.bucket(key));
    bucket.delete(key);
    return this.replaced(key, bucket, this.size - 1);
  }

  *[Symbol.iterator](): Iterator<readonly [K, V]> {
    for (const bucket of this.buckets) yield* bucket;
  }

  *values(): Generator<V> {
    for (const bucket of this.buckets) yield* bucket.values();
  }

  private bucket(key: K): ReadonlyMap<K, V> | undefined {
    return this.buckets[hashOf(key) % this.buckets.length];
  }

  private replaced(key: K, bucket: ReadonlyMap<K, V>, size: number): PersistentMap<K, V> {
    return new PersistentMap(this.buckets.with(hashOf(key) % this.buckets.length, bucket), size);
  }

  private spread(): PersistentMap<K, V> {
    const buckets = Array.from({ length: bucketCount }, () => new Map<K, V>());
    for (const [key, value] of this) buckets[hashOf(key) % bucketCount]?.set(key, value);
    return new PersistentMap(buckets, this.size);
  }
}

const fewEntries = 16;
const bucketCount = 64;

/** FNV-1a, without its lowest 8 bits, which are mixed least. */
const hashOf = (key: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++)
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return hash >>> 8;
};
