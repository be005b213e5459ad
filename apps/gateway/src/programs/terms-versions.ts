import {
  isEventOf,
  laterOf,
  streams,
  type AccountId,
  type EventOf,
  type ProgramId,
  type Recorded,
  type TermsVersion,
} from '@refledger/contracts';
import { programDecider, programRecord } from '@refledger/domain';
import { shownActor, recordReader, type RecordReadsParts } from '@refledger/queries';
import { historyPage } from '../history/history-page.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { positionHeader } from '../http/responses.js';

/** Reads the versions of a program's terms from the program's own stream, so it is never behind. */
export class TermsVersions {
  constructor(private readonly parts: RecordReadsParts) {}

  /** One page of the versions, newest first. */
  async list({
    caller: { accountId },
    caller,
    id,
    query,
    minPosition,
  }: Call<'listProgramTerms'>): Promise<ApiResponse> {
    const { commands, consistency } = this.parts;
    if (minPosition !== undefined) await consistency.settleLog(caller, minPosition);
    const loaded = await commands.load(programDecider, streams.program(accountId, id));
    requireProgram(id, loaded, accountId);
    const { state } = loaded;
    const revisions = state.kind === 'present' ? state.termsRevisions : [];
    const { from, to, hasMore, nextCursor } = historyPage(
      query,
      `terms of ${id}`,
      revisions.length - 1,
    );
    // also read the change after the page, which ended the page's newest version
    const changes = await Promise.all(
      revisions.slice(from, to + 2).map((revision) => this.changeAt(accountId, id, revision)),
    );
    const versions = changes
      .slice(0, to - from + 1)
      .map((change, n) => this.version(change, changes[n + 1], accountId));
    return {
      status: 200,
      body: {
        object: 'list',
        data: versions.reverse(),
        has_more: hasMore,
        next_cursor: nextCursor,
      },
      headers: positionHeader(laterOf(loaded.position, minPosition)),
    };
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

type TermsChange = Recorded &
  Extract<EventOf<'program'>, { type: 'program.created' | 'program.updated' }>;

const isTermsChange = (event: Recorded): event is TermsChange =>
  isEventOf('program', event) && event.type !== 'program.registered';

const momentOf = ({ metadata, position }: Recorded): TermsVersion['in_force_from'] => ({
  at: metadata.recorded_at,
  position,
});

const requireProgram = recordReader('program', programRecord);
