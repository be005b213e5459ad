import type { Config, DataFolder } from '@refledger/platform';
import { loadSecretsKeyFile, openSecretBox, type SecretBox } from '@refledger/webhooks';

/** Seals webhook secrets under `SECRETS_KEY`, or else under the key file of the data folder. */
export const embeddedSecretBox = async (config: Config, folder: DataFolder): Promise<SecretBox> =>
  openSecretBox(config.secretsKeys ?? [await loadSecretsKeyFile(folder.secretsKey)]);
