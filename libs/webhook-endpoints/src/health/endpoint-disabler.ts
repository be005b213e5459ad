import type { AccountId, EndpointId } from '@refledger/contracts';
import type { EndpointDirectory } from '../directory/endpoint-directory.js';
import { recordFinding, type FindingParts } from './record-finding.js';

export interface DisablingOptions extends FindingParts {
  readonly directory: Pick<EndpointDirectory, 'latest'>;
}

/** An endpoint that responded with 410, and the version of it that was used. */
export interface UnavailableEndpoint {
  readonly accountId: AccountId;
  readonly endpointId: EndpointId;
  readonly version: number;
}

/** Disables endpoints that respond with 410 Gone. */
export class EndpointDisabler {
  constructor(private readonly options: DisablingOptions) {}

  /**
   * Disables this version of the endpoint; a newer version stays as it is. Resolves to whether the
   * endpoint is gone or unsubscribed now.
   */
  async disable({ accountId, endpointId, version }: UnavailableEndpoint): Promise<boolean> {
    const command = { type: 'disable', reason: 'gone', endpoint_id: endpointId, version } as const;
    await recordFinding(this.options, accountId, command);
    const latest = this.options.directory.latest(endpointId);
    return latest === undefined || latest.disabled === 'gone';
  }
}
