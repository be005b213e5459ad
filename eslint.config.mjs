import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const drivers = ['@photostructure/sqlite', '@eventstore/db-client', 'mongodb', 'kafkajs'];
const nest = ['@nestjs/*'];
const layer = (name, on, banned = []) => ({ sourceTag: `lib:${name}`, onlyDependOnLibsWithTags: on.map((lib) => `lib:${lib}`), bannedExternalImports: banned });

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.nx/**'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@nx/enforce-module-boundaries': ['error', {
        enforceBuildableLibDependency: true,
        allow: [],
        depConstraints: [
          layer('contracts', ['contracts'], [...nest, ...drivers]),
          layer('domain', ['contracts'], [...nest, ...drivers]),
          layer('sqlite', ['sqlite'], nest),
          layer('event-log', ['contracts', 'domain', 'sqlite'], nest),
          layer('read-store', ['contracts', 'sqlite'], nest),
          layer('event-bus', ['contracts', 'domain', 'event-log'], nest),
          layer('views', ['contracts', 'domain', 'event-log', 'read-store'], [...nest, ...drivers]),
          layer('webhooks', ['contracts', 'domain', 'sqlite', 'event-log', 'event-bus', 'views'], nest),
          layer('platform', ['contracts', 'domain', 'event-log'], drivers),
          layer('testing', [], drivers),
          { sourceTag: 'type:tool', onlyDependOnLibsWithTags: ['lib:*'], bannedExternalImports: drivers },
          { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['lib:*'], bannedExternalImports: drivers },
          { sourceTag: 'type:standalone', onlyDependOnLibsWithTags: ['lib:*', 'type:app'], bannedExternalImports: drivers },
        ],
      }],
      'no-restricted-imports': ['error', { paths: drivers.map((name) => ({ name, message: 'A driver is imported only inside the adapter folder that carries its name.' })) }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  { files: ['**/sqlite/**/*.ts'], rules: { 'no-restricted-imports': ['error', { paths: drivers.filter((name) => !name.includes('sqlite')) }] } },
  { files: ['**/*.spec.ts', '**/*.e2e-spec.ts', '**/conformance/**/*.ts'], rules: { '@typescript-eslint/no-non-null-assertion': 'off' } },
  { files: ['**/*.mjs'], languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } } },
  { files: ['**/*.cjs'], languageOptions: { sourceType: 'commonjs', globals: { require: 'readonly', module: 'writable', __dirname: 'readonly' } } },
);
