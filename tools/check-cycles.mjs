// Reports each import cycle of files or of top folders of a package (import-cycles.mjs). Part of
// `npm run check`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importCycles } from './import-cycles.mjs';
import { projects } from './projects.mjs';

const root = join(import.meta.dirname, '..');

const sourcesOf = (project) =>
  ['src', 'test']
    .filter((folder) => existsSync(join(root, project, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, project, folder), { recursive: true })
        .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
        .filter((file) => file.endsWith('.ts')),
    );

const faultsOf = (project) => {
  const texts = sourcesOf(project).map((file) => [
    file,
    readFileSync(join(root, project, file), 'utf8'),
  ]);
  return importCycles(new Map(texts)).map(
    (cycle) =>
      `${project} has an import cycle. Move what these files share to where both sides may import it:\n` +
      cycle.map((step) => `  ${step}\n`).join(''),
  );
};

const faults = projects(root).flatMap(faultsOf);
process.stderr.write(faults.join('\n'));
process.exitCode = faults.length > 0 ? 1 : 0;
