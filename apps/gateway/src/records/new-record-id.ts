import { derivedId, newId, type AccountId, type Id, type IdKind } from '@refledger/contracts';

/**
 * Derives the id of a new record from the first of these values that was sent, each of which must
 * be unique within the account. Uniqueness therefore needs no table, and holds permanently and under
 * concurrency. Without such a value the id is random.
 */
export const newRecordId = <K extends IdKind>(
  kind: K,
  account: AccountId,
  unique: Readonly<Record<string, string | undefined>>,
): Id<K> => {
  for (const [name, value] of Object.entries(unique))
    if (value !== undefined) return derivedId(kind, account, name, value);
  return newId(kind);
};
