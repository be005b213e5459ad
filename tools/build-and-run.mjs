import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(fileURLToPath(import.meta.url), '../..');

/** Builds what is not built of an app and of what it needs, quietly unless that fails; then becomes the app. */
export const buildAndRun = async (app) => {
  if (!existsSync(join(root, `apps/${app}/dist/main.js`))) process.stderr.write('building, which takes half a minute the first time …\n');
  const build = spawnSync(process.execPath, [join(root, 'node_modules/nx/dist/bin/nx.js'), 'run', `@refledger/${app}:build`, '--output-style=static'], { cwd: root, encoding: 'utf8', env: { ...process.env, FORCE_COLOR: '0' } });
  if (build.status !== 0) {
    process.stderr.write(`${build.stdout}${build.stderr}`);
    process.exit(1);
  }
  await import(pathToFileURL(join(root, `apps/${app}/dist/main.js`)).href);
};
