import { erasedEvent } from '@refledger/application';
import { comparePositions, streams, type AffiliateId, type Position } from '@refledger/contracts';
import { isReadable, type EventLog, type LoggedEvent } from '@refledger/event-log';
import { lostKey, type KeyOwner, type KeyReader, type KeyRow } from '@refledger/key-store';
import { affiliateSearch, affiliatesProjection } from '@refledger/projections';
import {
  readableBuild,
  type ProjectionSpec,
  type ReadStore,
  type ScanPage,
} from '@refledger/read-store';
import { SealedUnreadable, type SecretBox } from '@refledger/sealing';
import { erasureInLog } from '../erasures/erasure-in-log.js';
import { isErased } from '../erasures/read-erasures.js';
import { sealedIn } from '../personal/view-event.js';

export interface PersonalDataAudit {
  readonly log: EventLog;
  readonly store: ReadStore;
  /** Shows what is stored, erasures that still run included. */
  readonly keys: Pick<KeyReader, 'getMany' | 'scan'>;
  /** Unwraps keys, but opens nothing with them; undefined without SECRETS_KEY. */
  readonly box: Pick<SecretBox, 'unwrap'> | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (position: Position) => void;
}

export interface PersonalDataFinding {
  readonly owner: KeyOwner;
  readonly where: 'event log' | 'key store' | `read model ${string}`;
  readonly problem: string;
}

export interface AuditedPersonalData {
  /** How many affiliates the log has. */
  affiliates: number;
  /** How many rows of the key store are erased. */
  erased: number;
  /** How many of them the log never had, or no longer has. */
  notInLog: number;
  /** How many documents of affiliates there are, in both read models. */
  documents: number;
}

type Findings = AsyncGenerator<PersonalDataFinding, void>;

/**
 * Finds sealed values that have neither a key nor an erasure, erasures that only the log or only the
 * key store has, and what is left of erased affiliates. Keeps nothing, however long the log is.
 */
export async function* auditPersonalData(
  audit: PersonalDataAudit,
): AsyncGenerator<PersonalDataFinding, AuditedPersonalData> {
  const counts = { affiliates: 0, erased: 0, notInLog: 0, documents: 0 };
  yield* auditLog(audit, counts);
  yield* auditRows(audit, counts);
  for (const projection of [affiliatesProjection, affiliateSearch])
    yield* auditDocuments(audit, projection, counts);
  return counts;
}

async function* auditLog(
  { log, keys, signal, onProgress }: PersonalDataAudit,
  counts: AuditedPersonalData,
): Findings {
  for await (const { events, through } of log.readAll({ prefix: streams.allAffiliates })) {
    signal.throwIfAborted();
    // all values of an affiliate have one key, and its first event has some
    const created = events.filter(isFirst).flatMap((event) => sealedIn(event)?.id ?? []);
    const erasures = events.flatMap((event) => erasedEvent(event) ?? []);
    counts.affiliates += created.length;
    const stored = await keys.getMany([
      ...created,
      ...erasures.map(({ affiliateId }) => affiliateId),
    ]);
    for (const owner of created)
      if (!stored.has(owner)) yield { owner, where: 'event log', problem: noKey };
    for (const event of erasures) {
      const owner = event.affiliateId;
      if (stored.get(owner)?.kind !== 'erased')
        yield { owner, where: 'event log', problem: notErased };
      if (!isReadable(event)) yield { owner, where: 'event log', problem: unreadable };
    }
    onProgress(through);
  }
}

async function* auditRows(
  { log, keys, box, signal }: PersonalDataAudit,
  counts: AuditedPersonalData,
): Findings {
  for await (const rows of keys.scan())
    for (const row of rows) {
      signal.throwIfAborted();
      const { owner } = row;
      const problem = whyUnreadable(box, row);
      if (problem !== undefined) yield { owner, where: 'key store', problem };
      if (!isErased(row)) continue;
      counts.erased++;
      const { state } = await erasureInLog(log, row);
      if (state === 'absent') counts.notInLog++;
      if (state === 'not erased') yield { owner, where: 'key store', problem: notRecorded };
    }
}

async function* auditDocuments(
  { log, store, keys, signal }: PersonalDataAudit,
  projection: ProjectionSpec,
  counts: AuditedPersonalData,
): Findings {
  const builds = await store.builds(projection.name);
  const build = readableBuild(builds, projection, log.id);
  if (build === undefined) return;
  const where = `read model ${projection.name}` as const;
  for (const { name } of projection.collections)
    for await (const page of store.scan(build, name)) {
      signal.throwIfAborted();
      counts.documents += page.documents.length;
      for (const found of await problemsIn(page, keys)) yield { where, ...found };
    }
}

const problemsIn = async (
  { documents, checkpoint }: ScanPage,
  keys: Pick<KeyReader, 'getMany'>,
): Promise<readonly Omit<PersonalDataFinding, 'where'>[]> => {
  // a decoding border: the ids of the documents are those of the affiliates
  const owners = documents.map(({ id }) => id as AffiliateId);
  const stored = await keys.getMany(owners);
  return owners.flatMap((owner) => {
    const key = stored.get(owner);
    if (key === undefined) return { owner, problem: noKey };
    const isLeft = key.kind === 'erased' && isFolded(key.position, checkpoint?.position);
    return isLeft ? { owner, problem: notRemoved } : [];
  });
};

const isFirst = ({ revision }: LoggedEvent): boolean => revision === 0;

const isFolded = (position: Position, through: Position | undefined): boolean =>
  through !== undefined && comparePositions(position, through) <= 0;

const whyUnreadable = (box: PersonalDataAudit['box'], row: KeyRow): string | undefined => {
  if (row.kind === 'erased') return undefined;
  if (row.key === lostKey) return keyLost;
  try {
    box?.unwrap(row.key, row.owner);
    return undefined;
  } catch (error) {
    if (error instanceof SealedUnreadable) return error.message;
    throw error;
  }
};

const noKey =
  'has personal values, but the key store has neither a key nor an erasure. Restore the key store of this event log';
const keyLost =
  'has lost its key, since the key store was damaged. Restore the key store of this event log';
const unreadable =
  'is erased by an event that this release cannot read. Use the release that recorded it';
const notErased =
  'is erased, but the key store still has the key, or nothing. The erasure still runs, or the key store was restored: the ledger destroys the key';
const notRecorded =
  'is erased, but the event log has no affiliate.erased. The log was restored: the ledger records it again when it starts';
const notRemoved = 'is erased, but has a document. Run ops rebuild affiliates';
