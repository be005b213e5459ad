import {
  isEventOf,
  streams,
  type AccountId,
  type EventOf,
  type ProgramId,
  type RecordedEvent,
  type TermsVersion,
} from '@refledger/contracts';
import type { RecordHistory, Revisions } from '@refledger/application';
import type { RecordRead } from '../history/record-queries.js';
import { shownActor, type KeyNames } from '../history/shown-actor.js';

export interface TermsVersionsParts {
  readonly past: Pick<RecordHistory, 'changes'>;
  readonly keys: KeyNames;
}

/** Reads the versions of a program's terms from the program's own stream, so it is never behind. */
export class TermsVersions {
  constructor(private readonly parts: TermsVersionsParts) {}

  /**
   * A range of the versions, oldest first. `revisions` are those of the program at which its terms
   * changed.
   */
  async versions(
    { caller: { accountId }, id }: RecordRead<ProgramId>,
    revisions: readonly number[],
    { from, to }: Revisions,
  ): Promise<readonly TermsVersion[]> {
    // also read the change after the range, which ended its newest version
    const changes = await Promise.all(
      revisions.slice(from, to + 2).map((revision) => this.changeAt(accountId, id, revision)),
    );
    return changes
      .slice(0, to - from + 1)
      .map((change, n) => this.version(change, changes[n + 1], accountId));
  }

  /** The event with this revision, which changed the terms. */
  private async changeAt(
    account: AccountId,
    id: ProgramId,
    revision: number,
  ): Promise<TermsChange> {
    const stream = streams.program(account, id);
    const of = { kind: 'program', stream } as const;
    const [change] = await this.parts.past.changes(of, { from: revision, to: revision });
    if (change !== undefined && isTermsChange(change.event)) return change.event;
    throw new Error(`${stream} has no change to the terms at revision ${revision}`);
  }

  private version(
    change: TermsChange,
    next: TermsChange | undefined,
    account: AccountId,
  ): TermsVersion {
    const { terms, terms_version } = change.data.after;
    return {
      object: 'terms_version',
      version: terms_version,
      terms,
      in_force_from: momentOf(change),
      in_force_to: next === undefined ? null : momentOf(next),
      actor: shownActor(change.metadata.actor, account, this.parts.keys),
      reason: change.type === 'program.updated' ? change.data.reason : null,
    };
  }
}

type TermsChange = RecordedEvent & EventOf<'program'>;

const isTermsChange = (event: RecordedEvent): event is TermsChange => isEventOf('program', event);

const momentOf = ({ metadata, position }: RecordedEvent): TermsVersion['in_force_from'] => ({
  at: metadata.recorded_at,
  position,
});
