import { CommandHandler, recordedKeyStore } from '@refledger/application';
import type { EventLog } from '@refledger/event-log';
import type { KeyReader } from '@refledger/key-store';
import type { ReadStore } from '@refledger/read-store';
import { openSecretBox } from '@refledger/sealing';
import type { Console } from '../console.js';
import type { OperatorEngines } from '../engines/engines.js';
import { counted } from '../format/counted.js';
import { newProgress } from '../progress.js';
import { withOpen } from '../with-open.js';
import { auditPersonalData, type AuditedPersonalData } from './audit-personal-data.js';
import { listFindings } from './list-findings.js';

export interface PersonalDataVerification {
  readonly console: Console;
  readonly engines: OperatorEngines;
  readonly log: EventLog;
  readonly store: ReadStore;
  /** How many findings to list; all are counted. */
  readonly show: number;
}

/**
 * Compares the log and the read models with the key store, and lists what differs. Opens no personal
 * value. Returns the number of findings.
 */
export const verifyPersonalData = async ({
  log,
  store,
  show,
  console,
  engines,
}: PersonalDataVerification): Promise<number> => {
  const secretsKeys = engines.givenSecretsKeys();
  const head = await log.head();
  const progress = newProgress('verifying', console);
  const { findings, compared } = await withStoredKeys({ engines, log }, (keys) =>
    listFindings(
      auditPersonalData({
        log,
        store,
        keys,
        box: secretsKeys && openSecretBox(secretsKeys),
        signal: console.signal,
        onProgress: (position) => progress.update(position, head),
      }),
      {
        console,
        progress,
        show,
        lineOf: ({ owner, where, problem }) => `${owner} (${where}): ${problem}`,
      },
    ),
  );
  await console.print(summary(compared, findings));
  return findings;
};

type Keys = Pick<KeyReader, 'getMany' | 'scan'>;

/** Until a gateway has made the key store, there is no key. */
const withStoredKeys = async <T>(
  { engines, log }: Pick<PersonalDataVerification, 'engines' | 'log'>,
  work: (keys: Keys) => Promise<T>,
): Promise<T> =>
  (await recordedKeyStore(new CommandHandler(log))) === undefined
    ? work(noKeys)
    : withOpen(engines.openStoredKeys(log), work);

const noKeys: Keys = {
  getMany: () => Promise.resolve(new Map()),
  async *scan() {
    // no rows
  },
};

const summary = (
  { affiliates, erased, notInLog, documents }: AuditedPersonalData,
  findings: number,
): string => {
  const elsewhere = notInLog === 0 ? '' : ` (${notInLog} of them not in this log)`;
  const verdict = findings === 0 ? 'matching the key store' : counted(findings, 'difference');
  return `personal data of ${counted(affiliates, 'affiliate')} and ${counted(documents, 'document')}, ${erased} erased${elsewhere}: ${verdict}`;
};
