import {
  comparePositions,
  streams,
  type AffiliateId,
  type Position,
  type ProgramId,
  type ProgramRecord,
  type OwnStreamKind,
  type SealedAffiliateRecord,
  type StoredRecord,
  type StreamName,
} from '@refledger/contracts';
import {
  affiliateDecider,
  affiliateRecord,
  programDecider,
  programRecord,
  type BalanceKey,
  type Payee,
} from '@refledger/domain';
import type { LoadedStream } from '@refledger/event-log';
import type { CommandHandler, Reader, RecordHistory } from '@refledger/application';
import { payeeOf } from './payees.js';

export interface PayeesAtParts {
  readonly commands: Pick<CommandHandler, 'load'>;
  readonly past: Pick<RecordHistory, 'recordAt'>;
}

/** Reads affiliates and programs as of a position, from their streams up to that position. */
export class PayeesAt {
  constructor(
    private readonly records: PayeesAtParts,
    private readonly caller: Reader,
    private readonly position: Position,
  ) {}

  async getPayee({ affiliate_id, program_id, currency }: BalanceKey): Promise<Payee> {
    const affiliate = await this.affiliate(affiliate_id);
    return payeeOf(affiliate, await this.program(program_id), currency);
  }

  /** Undefined if the affiliate did not exist yet, or was already deleted. */
  async affiliate(id: AffiliateId): Promise<SealedAffiliateRecord | undefined> {
    const stream = streams.affiliate(id);
    const loaded = await this.records.commands.load(affiliateDecider, stream);
    const record = await this.recordAt('affiliate', stream, loaded, affiliateRecord(loaded.state));
    return record?.object === 'affiliate' ? record : undefined;
  }

  private async program(id: ProgramId): Promise<ProgramRecord | undefined> {
    const stream = streams.program(this.caller.accountId, id);
    const loaded = await this.records.commands.load(programDecider, stream);
    const record = await this.recordAt('program', stream, loaded, programRecord(loaded.state));
    return record?.object === 'program' ? record : undefined;
  }

  /** The current record if it has not changed since. */
  private async recordAt(
    kind: OwnStreamKind,
    stream: StreamName,
    { position, revision }: LoadedStream<unknown>,
    current: StoredRecord | undefined,
  ): Promise<StoredRecord | undefined> {
    if (position === undefined || revision === undefined) return undefined;
    if (comparePositions(position, this.position) <= 0) return current;
    const of = { kind, stream, revision, reader: this.caller };
    return this.records.past.recordAt(of, this.position);
  }
}
