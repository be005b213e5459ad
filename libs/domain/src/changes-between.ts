import { isObject, type FieldChange } from '@refledger/contracts';

/** The fields of a record, or some of them, at one time. */
export type Fields = Readonly<Record<string, unknown>>;

/** The changes that an event made to its record, and the reason that was given with it. */
export interface EventChanges {
  readonly reason: string | null;
  readonly changes: readonly FieldChange[];
}

/**
 * Returns the changes to these fields, in their order. Metadata is compared key by key, any other
 * value as a whole. A missing value counts as null.
 */
export const changesBetween = (
  before: Fields,
  after: Fields,
  fields: readonly string[],
): FieldChange[] =>
  fields.flatMap((field) => {
    const values = [valueOf(before, field), valueOf(after, field)] as const;
    return field === 'metadata' ? changesOfKeys(field, ...values) : change([field], ...values);
  });

const changesOfKeys = (field: string, before: unknown, after: unknown): FieldChange[] => {
  const [earlier, later] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
  const keys = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  return [...keys].flatMap((key) =>
    change([field, key], valueOf(earlier, key), valueOf(later, key)),
  );
};

const change = (path: readonly string[], before: unknown, after: unknown): FieldChange[] =>
  isSame(before, after) ? [] : [{ path: pointerTo(path), before, after }];

/** Looks only at an object's own fields: a client may name a metadata key `constructor`. */
const valueOf = (fields: Fields, field: string): unknown =>
  Object.hasOwn(fields, field) ? (fields[field] ?? null) : null;

/** Whether two JSON values are the same, in whatever order their fields are. */
const isSame = (a: unknown, b: unknown): boolean => {
  if (!isObject(a) || !isObject(b)) return a === b;
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
  );
};

/** Returns a JSON pointer (RFC 6901). */
const pointerTo = (path: readonly string[]): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/**
 * The fields of a record that are listed as changes: all but those that a change has as members of
 * its own. The latter are its reason, its revision, and the times that can only be the change's own
 * time.
 */
export const listedFields = ({ shape }: { readonly shape: object }): readonly string[] =>
  Object.keys(shape).filter((field) => !ownMembers.has(field));

const ownMembers: ReadonlySet<string> = new Set([
  'reason',
  'created_at',
  'updated_at',
  'approved_at',
  'revision',
]);
