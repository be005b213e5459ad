// `npm run test:kubernetes`: renders deploy/kubernetes and checks every object against the schemas
// of Kubernetes. Renders with the installed kubectl or kustomize, or else with a kustomize that Go
// installs. Go also installs kubectl-validate, which contains the schemas. It does so only once,
// which takes a few minutes.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOnce } from './servers/install-once.mjs';
import { answers, runTool } from './servers/run-tool.mjs';
import { serversFolder } from './servers/servers-folder.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const kubernetes = 'deploy/kubernetes';
const schemas = '1.30';

/** Installs a program from the Go module proxy into its own folder. Resolves to its path. */
const goTool = async (name, module, version) => {
  const folder = `${name}-${version}`;
  if (!answers('go', 'version'))
    throw new Error(
      `${name} is missing. Install it, or install Go to build it (Debian: apt-get install golang)`,
    );
  await installOnce(folder, (into) =>
    runTool('go', ['install', `${module}@${version}`], { env: { ...process.env, GOBIN: into } }),
  );
  return join(serversFolder(), folder, name);
};

const renderer = async () => {
  if (answers('kubectl', 'kustomize', '--help')) return ['kubectl', 'kustomize'];
  if (answers('kustomize', 'version')) return ['kustomize', 'build'];
  return [await goTool('kustomize', 'sigs.k8s.io/kustomize/kustomize/v5', 'v5.5.0'), 'build'];
};

const validator = await goTool('kubectl-validate', 'sigs.k8s.io/kubectl-validate', 'v0.0.4');
const [render, ...first] = await renderer();
const folder = mkdtempSync(join(tmpdir(), 'refledger-kubernetes-'));

/** Whether the validator accepts these objects, and its output. */
const validate = (name, text) => {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, text);
  const { status, stdout, stderr } = spawnSync(validator, ['--version', schemas, file], {
    encoding: 'utf8',
    env: { ...process.env, KUBECONFIG: join(folder, 'none') },
  });
  return { valid: status === 0, output: `${stdout}${stderr}` };
};

const rendered = (path) => {
  const { status, stdout, stderr } = spawnSync(render, [...first, path], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${path}: ${stderr}`);
  // kustomize breaks long base64 into lines, which Kubernetes accepts and the validator does not
  return stdout.replace(
    /: \|\n((?: {4}[A-Za-z0-9+/=]+\n)+)/g,
    (_all, lines) => `: ${lines.replace(/\s/g, '')}\n`,
  );
};

let failed = 0;
try {
  const paths = [
    `${kubernetes}/base`,
    ...readdirSync(join(root, kubernetes, 'overlays')).map(
      (name) => `${kubernetes}/overlays/${name}`,
    ),
  ];
  for (const [index, path] of paths.entries()) {
    const text = rendered(path);
    const { valid, output } = validate(String(index), text);
    const kinds = [...text.matchAll(/^kind: (\S+)$/gm)].map(([, kind]) => kind);
    console.log(
      valid
        ? `${path}: ${kinds.length} objects are valid for Kubernetes ${schemas}`
        : `${path}: ${output}`,
    );
    if (!valid) failed += 1;
  }
  // a validator that accepts everything would prove nothing
  const text = rendered(paths[0]);
  const wrong = {
    'an unknown field': text.replace('maxUnavailable: 1', 'maxUnavailible: 1'),
    'a word instead of a number': text.replace('containerPort: 9090', 'containerPort: many'),
    'a missing field': text.replace(
      / {2}selector:\n {4}matchLabels:\n(?: {6}.*\n)+(?= {2}strategy)/,
      '',
    ),
  };
  for (const [name, mistake] of Object.entries(wrong)) {
    if (mistake !== text && !validate('wrong', mistake).valid) continue;
    console.log(`the validator accepts ${name}`);
    failed += 1;
  }
  console.log(`${paths.length + Object.keys(wrong).length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}
