import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errors } from '@offhook/contract/errors.ts'
import { asyncapi } from '@offhook/contract/asyncapi/asyncapi.ts'
import { jsonSchemas } from '@offhook/contract/asyncapi/json-schemas.ts'
import { interfaceVersion, openapi } from '@offhook/contract/openapi/openapi.ts'
import { repository } from '#places.ts'
import { logEvents } from '#log/log-events.ts'
import { settingsSchema } from '#settings/settings-schema.ts'
import { licensedPackages } from './licences.ts'
import { alertRules } from './alerts/alert-rules.ts'
import { dashboard } from './dashboard/dashboard.ts'
import { alertsPage } from './alerts/alerts-page.ts'
import { metricsPage } from './metrics-page.ts'
import { migratedColumns, schemaFiles } from './schema-types.ts'

const row = (...cells: (string | number)[]): string => `| ${cells.join(' | ')} |`

const errorsPage = (): string =>
  [
    '# Errors',
    '',
    'Every error is a JSON object with `name` (the kind), `message` (for people), `code` (for programs) and, where fields are wrong, `details`',
    'with a `field` and a `problem` each. The OAuth endpoints answer as RFC 6749 says: `error` and `error_description`.',
    '',
    row('code', 'status', 'name', 'meaning'),
    row('---', '---', '---', '---'),
    ...Object.entries(errors).map(([code, { status, name, text }]) => row(`\`${code}\``, status, `\`${name}\``, text)),
    '',
  ].join('\n')

const logEventsPage = (): string =>
  [
    '# Log events',
    '',
    'Every line of the log is a JSON object. `event` is one of these codes, which do not change; `level` is 30 (info), 40 (warn) or 50 (error); `msg` is the',
    'text below, which may change. The other fields say what the line is about, such as `callId`, `trunk`, or `err` with the error.',
    '',
    row('event', 'level', 'text', 'what to do'),
    row('---', '---', '---', '---'),
    ...Object.entries(logEvents).map(([code, { level, text, action }]) => row(`\`${code}\``, level, text, action)),
    '',
  ].join('\n')

const settingsPage = (): string =>
  [
    '# Settings',
    '',
    'Each setting is an environment variable, or a line `NAME=value` of the file that `--config` or `OFFHOOK_CONFIG` names; the environment wins.',
    'All have a default that works on a laptop. [Configuration](guides/configuration.md) says more.',
    '',
    'A secret can also be read from a file: `NAME_FILE` says from which, or it is a credential of systemd that is called like the setting.',
    'No command shows it.',
    '',
    row('setting', 'default', 'secret', 'meaning'),
    row('---', '---', '---', '---'),
    ...Object.entries(settingsSchema).map(([name, { default: fallback, description, secret }]) =>
      row(`\`${name}\``, fallback === '' ? '' : `\`${fallback}\``, secret === undefined ? '' : 'yes', description),
    ),
    '',
  ].join('\n')

const licencesPage = (): string =>
  [
    '# Licences of packages',
    '',
    'What npm installs with Offhook, on whatever machine, and what is built into the console. The text of each licence, with the names of its holders, is in',
    'the package itself (`node_modules/…`). [What else others made](third-party.md) is on a page of its own.',
    '',
    row('package', 'version', 'licence'),
    row('---', '---', '---'),
    ...licensedPackages().map(({ name, version, licence }) => row(`\`${name}\``, version, licence)),
    '',
  ].join('\n')

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Every generated file with its content. They are checked in, and a test compares them with this. */
export const generatedFiles = async (): Promise<Record<string, string>> => ({
  'docs/api/openapi.json': json(openapi()),
  'docs/api/asyncapi.json': json(asyncapi(interfaceVersion)),
  ...Object.fromEntries(Object.entries(jsonSchemas()).map(([name, schema]) => [`docs/api/schemas/${name}`, json(schema)])),
  'docs/errors.md': errorsPage(),
  'docs/licences.md': licencesPage(),
  'docs/log-events.md': logEventsPage(),
  'docs/metrics.md': metricsPage(),
  'docs/alerts.md': alertsPage(),
  'deploy/prometheus/offhook-alerts.yml': alertRules(),
  'deploy/grafana/offhook.json': json(dashboard()),
  'docs/settings.md': settingsPage(),
  ...schemaFiles(await migratedColumns()),
})

/** The names of generated files that are not as they should be. */
export const staleFiles = async (): Promise<string[]> => {
  const stale: string[] = []
  for (const [name, content] of Object.entries(await generatedFiles())) {
    const present = await readFile(join(repository, name), 'utf8').catch(() => undefined)
    if (present !== content) stale.push(name)
  }
  return stale
}

if (import.meta.main) {
  for (const [name, content] of Object.entries(await generatedFiles())) await writeFile(join(repository, name), content)
}
