import type { AffiliateId, AffiliateValues } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { KeyReader } from '@refledger/key-store';
import { isPersonalDataUnavailable, PersonalData } from '@refledger/personal-data';
import { openSecretBox, type SecretBox } from '@refledger/sealing';
import type { OperatorEngines } from '../engines/engines.js';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import { withOpen } from '../with-open.js';

/** The values of sealed texts, or why they do not open. */
export type OpenedTexts =
  | { readonly kind: 'open'; readonly values: ReadonlyMap<string, AffiliateValues> }
  | { readonly kind: 'erased' }
  | { readonly kind: 'failed'; readonly why: string };

/** Opens personal values for an operator who asked for them. */
export class PersonalValues {
  private readonly data: PersonalData;
  /** Whether some values that were not erased did not open. */
  hasFailed = false;

  constructor(keys: Pick<KeyReader, 'getMany'>, box: SecretBox) {
    this.data = new PersonalData(keys, box);
  }

  /** Opens sealed texts of one affiliate. A missing key is no erasure: it has failed. */
  async open(id: AffiliateId, texts: readonly string[]): Promise<OpenedTexts> {
    try {
      const values = await this.data.openValues(id, new Set(texts));
      return values === undefined ? { kind: 'erased' } : { kind: 'open', values };
    } catch (error) {
      if (!isPersonalDataUnavailable(error)) throw error;
      this.hasFailed = true;
      return { kind: 'failed', why: error.message };
    }
  }
}

/**
 * Runs work with what opens personal values, if they were asked for. Otherwise, the work needs neither
 * the key store nor SECRETS_KEY. Resolves to a failure if some values did not open.
 */
export const withPersonalValues = async (
  engines: OperatorEngines,
  { log, isAsked }: { readonly log: EventLog; readonly isAsked: boolean },
  work: (personal: PersonalValues | undefined) => Promise<ExitCode>,
): Promise<ExitCode> => {
  if (!isAsked) return work(undefined);
  const box = openSecretBox(engines.secretsKeys());
  return withOpen(engines.openKeys(log), async (keys) => {
    const personal = new PersonalValues(keys, box);
    const code = await work(personal);
    return personal.hasFailed ? exitCodes.failure : code;
  });
};
