import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import { boundaries, boundariesOfTests, driverNames, drivers } from './tools/eslint/boundaries.mjs';
import { maxLinesPerTestFunction } from './tools/eslint/max-lines-per-test-function.mjs';

const bannedInComments = [
  'anew',
  'by way of',
  'for ever',
  'hence',
  'if need be',
  'likewise',
  'thereby',
];
const tests = ['**/*.{spec,e2e-spec,suite,conformance}.ts', '**/{conformance,test}/**/*.ts'];
const driverPaths = driverNames.map((name) => ({
  name,
  message: 'Import a driver only in the adapter directory that is named after it.',
}));
const openers = {
  name: '@refledger/sealing',
  importNames: ['openKey', 'openAccountKeys'],
  message: 'Only libs/personal-data opens personal data, at the places that ADR 47 names.',
};
const enforced = (depConstraints) => [
  'error',
  { enforceBuildableLibDependency: true, allow: [], depConstraints },
];

export default tseslint.config(
  { ignores: ['**/dist/**', 'bundle/**', '**/node_modules/**', '.nx/**'] },
  // rules hold for every line: comments cannot turn them off
  { linterOptions: { noInlineConfig: true } },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    plugins: { '@nx': nx },
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@nx/enforce-module-boundaries': enforced(boundaries),
      'no-restricted-imports': ['error', { paths: [...driverPaths, openers] }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  {
    files: ['libs/personal-data/**/*.ts', 'bench/**/*.ts', ...tests],
    rules: { 'no-restricted-imports': ['error', { paths: driverPaths }] },
  },
  ...Object.entries(drivers).map(([folder, driver]) => ({
    files: [`**/${folder}/**/*.ts`],
    rules: {
      'no-restricted-imports': ['error', { paths: driverNames.filter((name) => name !== driver) }],
    },
  })),
  {
    files: tests,
    rules: { '@nx/enforce-module-boundaries': enforced(boundariesOfTests) },
  },
  {
    files: ['**/*.spec.ts', '**/*.e2e-spec.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ImportSpecifier[imported.name="requireServers"]',
          message:
            'requireServers fails if a server is missing. In a suite, use describeWithServers, which skips it.',
        },
      ],
    },
  },
  {
    files: ['**/*.{ts,mjs,cjs}'],
    rules: {
      // an exhaustive switch counts once
      complexity: ['error', { max: 10, variant: 'modified' }],
      'max-params': ['error', 4],
      'max-lines': ['error', 250],
      'max-lines-per-function': ['error', 60],
      'max-depth': ['error', 3],
      // words that strangers stumbled over; lint-words.spec.ts in libs/testing shows that it fails
      'no-warning-comments': ['error', { terms: bannedInComments, location: 'anywhere' }],
    },
  },
  // Nest injects dependencies as constructor parameters
  { files: ['apps/**/*.controller.ts'], rules: { 'max-params': ['error', 7] } },
  // lint-test-functions.spec.ts in libs/testing shows which functions it reports
  {
    files: tests,
    plugins: { refledger: { rules: { 'max-lines-per-test-function': maxLinesPerTestFunction } } },
    rules: {
      'max-lines': ['error', 400],
      'max-lines-per-function': 'off',
      'refledger/max-lines-per-test-function': ['error', 60],
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        AbortController: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        process: 'readonly',
        URL: 'readonly',
      },
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: {
        require: 'readonly',
        module: 'writable',
        __dirname: 'readonly',
        process: 'readonly',
      },
    },
  },
);
