import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errors, type ErrorCode } from '@offhook/contract/errors.ts'
import { asyncapi } from '@offhook/contract/asyncapi/asyncapi.ts'
import { jsonSchemas } from '@offhook/contract/asyncapi/json-schemas.ts'
import { interfaceVersion, openapi } from '@offhook/contract/openapi/openapi.ts'
import { repository } from '#places.ts'
import { logEvents } from '#log/log-events.ts'
import { settingsSchema } from '#settings/settings-schema.ts'
import { dashboard } from './dashboard/dashboard.ts'
import { personalDataPage } from './personal-data-page.ts'
import { migratedColumns, schemaFiles } from './schema-types.ts'
import { shortNumberMetadata, shortNumberTableSource } from './short-numbers/short-number-table.ts'
import { deDe } from '#core/kernel/translations/de-de.ts'
import type { Area, Family } from '#core/operate/metrics/families/table.ts'
import { familiesOf } from '#core/operate/metrics/families/table.ts'
import { areaTitles } from './area-titles.ts'
import type { Alert } from './alerts/alert.ts'
import { alerts } from './alerts/alerts.ts'
import { readFileSync } from 'node:fs'

/** Entry of the lock file; `dev` packages are only needed to work on Offhook. */
interface Locked {
  version?: string
  license?: string
  dev?: boolean
  link?: boolean
}

interface Licensed {
  name: string
  version: string
  licence: string
}

const folder = 'node_modules/'

/** All third-party packages of an installation, for any machine, or built into the console. */
export const licensedPackages = (): Licensed[] => {
  const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> }
  const found = Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes(folder) && !dev && !link)
    .map(([path, { version = '', license = 'unknown' }]) => ({
      name: path.slice(path.lastIndexOf(folder) + folder.length),
      version,
      licence: license,
    }))
  const distinct = new Map(found.map((one) => [`${one.name} ${one.version}`, one]))
  return [...distinct.values()].toSorted((one, other) => (`${one.name} ${one.version}` < `${other.name} ${other.version}` ? -1 : 1))
}

/** deploy/prometheus/offhook-alerts.yml. A JSON string is a valid YAML string. */
const alertRules = (): string =>
  [
    '# Rules for Prometheus, over what each process shows at /metrics; the job has to be called offhook.',
    '# Generated from the sources of the service: change them there, or put rules of your own into another file.',
    '# What each alert means and what to do: docs/alerts.md',
    'groups:',
    ...Object.entries(alerts).flatMap(([area, group]) => [`  - name: offhook-${area}`, '    rules:', ...rulesOf(group)]),
    '',
  ].join('\n')

const rulesOf = (group: Record<string, Alert>): string[] => Object.entries(group).flatMap(([name, alert]) => ruleOf(name, alert))

const ruleOf = (name: string, { expr, for: duration, severity, summary, meaning, action }: Alert): string[] => [
  `      - alert: ${name}`,
  `        expr: ${JSON.stringify(expr)}`,
  ...(duration === undefined ? [] : [`        for: ${duration}`]),
  '        labels:',
  `          severity: ${severity}`,
  '        annotations:',
  `          summary: ${JSON.stringify(summary)}`,
  `          description: ${JSON.stringify(`${meaning} ${action}`)}`,
  `          runbook: docs/alerts.md#${name.toLowerCase()}`,
]

/** docs/alerts.md */
export const alertsPage = (): string =>
  [
    '# Alerts',
    '',
    'What the rules in [deploy/prometheus/offhook-alerts.yml](../deploy/prometheus/offhook-alerts.yml) tell, and what to do then ([how to set them up](guides/monitoring.md)).',
    '**page**: somebody is woken, because calls fail or soon will. **ticket**: somebody looks at it on a working day. Names of metrics are explained in [metrics.md](metrics.md),',
    'those of log lines in [log-events.md](log-events.md).',
    '',
    ...Object.entries(alerts).flatMap(([area, group]) => [
      `## ${areaTitles[area as Area]}`,
      '',
      ...Object.entries(group).flatMap(sectionOf),
    ]),
  ].join('\n')

const sectionOf = ([name, { expr, for: duration, severity, meaning, action }]: [string, Alert]): string[] => [
  `### ${name}`,
  '',
  `**${severity}**${duration === undefined ? '' : `, after ${duration}`}. ${meaning}`,
  '',
  action,
  '',
  '```promql',
  expr,
  '```',
  '',
]

/** docs/metrics.md, from the table behind /metrics. */
const metricsPage = (): string =>
  [
    '# Metrics',
    '',
    'What `GET /metrics` of each process shows, in the text format of Prometheus ([how to set that up](guides/monitoring.md)). Names do not change; a name',
    'without a value is left out. Figures *of the whole installation* are the same at every process: take `max`, not `sum`. They are read from the database when',
    'somebody asks, at most every ten seconds.',
    '',
    ...Object.entries(familiesOf).flatMap(([area, families]) => areaSection(areaTitles[area as Area], families)),
  ].join('\n')

const areaSection = (title: string, families: Record<string, Family>): string[] => [
  `## ${title}`,
  '',
  '| metric | type | labels | meaning |',
  '| --- | --- | --- | --- |',
  ...Object.entries(families).map(
    ([name, { type, labels, help }]) => `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
  ),
  '',
]

const row = (...cells: (string | number)[]): string => `| ${cells.join(' | ')} |`

const errorsPage = (): string =>
  [
    '# Errors',
    '',
    'Every error is a JSON object with `name` (the kind), `message` (for people), `code` (for programs) and, where fields are wrong, `details`',
    'with a `field` and a `problem` each. The OAuth endpoints answer as RFC 6749 says: `error` and `error_description`.',
    '',
    'Compare codes: texts may change, and `message` may say more than the text of the code. `GET /v1/translations/de_DE` has the German texts.',
    '',
    row('code', 'status', 'name', 'meaning', 'German'),
    row('---', '---', '---', '---', '---'),
    ...Object.entries(errors).map(([code, { status, name, text }]) =>
      row(`\`${code}\``, status, `\`${name}\``, text, deDe[`error.${code as ErrorCode}`]),
    ),
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

/** All generated files with their content. They are checked in, and a test compares them with this. */
const generatedFiles = async (): Promise<Record<string, string>> => ({
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
  'docs/personal-data.md': personalDataPage(),
  ...schemaFiles(await migratedColumns()),
  'packages/server/src/core/kernel/phone-numbers/short-number-table.ts': shortNumberTableSource(shortNumberMetadata()),
})

/** Names of generated files that are out of date. */
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
