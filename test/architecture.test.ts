import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const server = 'packages/server/src/'
/** `#core/…` as the root's `package.json` says it, `#parts/…` as the console's does: a name and the folder it stands for. */
const aliases = ['', 'packages/console/'].flatMap((folder) => {
  const { imports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as { imports: Record<string, string> }
  return Object.entries(imports).map(([name, target]) => [name.slice(0, -1), join(folder, target).slice(0, -1)] as const)
})

/** Which part may import which; a part may always import itself. `wiring` builds, so it may import everything; `cli` are the commands. */
const allowed: Record<string, string[]> = {
  contract: [],
  core: ['contract'],
  sip: [],
  media: [],
  smpp: [],
  adapters: ['core', 'contract', 'log', 'sip', 'media', 'smpp'],
  http: ['core', 'contract', 'log'],
  log: [],
  settings: ['adapters'],
  'first-start': ['core', 'http', 'contract'],
  generate: ['adapters', 'settings', 'log', 'contract'],
  wiring: ['settings', 'log', 'first-start', 'adapters', 'core', 'http', 'contract', 'sip', 'media', 'smpp'],
  cli: ['wiring', 'settings', 'log', 'first-start', 'adapters', 'media', 'contract', 'sdk'],
  main: ['cli', 'settings', 'log'],
  sdk: ['contract'],
  console: ['contract', 'sdk'],
}

/** Nothing in the core may reach the world by itself: it speaks to ports. */
const forbiddenInCore = [
  [/from 'node:(net|dgram|fs|fs\/promises|http|https|tls|timers|timers\/promises|child_process|worker_threads|dns|sqlite)'/, 'the outside'],
  [/\bDate\.now\(\)|new Date\(\)|\bperformance\.now\(\)/, 'the time (use the Clock port)'],
  [/\bsetTimeout\(|\bsetInterval\(|\bsetImmediate\(/, 'timers (use the Clock port)'],
  [/from '(fastify|kysely|pg|undici|nodemailer)'/, 'an adapter’s library'],
] as const

const sources = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root }).filter(
  (file) => !file.endsWith('.test.ts') && !file.includes('/testing/'),
)
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const partOf = (file: string): string => {
  if (!file.startsWith('packages/server/')) return file.split('/')[1] ?? ''
  const inside = file.slice(server.length)
  return inside.includes('/') ? (inside.split('/')[0] ?? '') : 'main'
}

const importsOf = (file: string): { target: string; onlyTypes: boolean }[] =>
  [...read(file).matchAll(/(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|import\('([^']+)'\)/g)].flatMap(
    ([, onlyTypes, named, dynamic]) => {
      const specifier = named ?? dynamic ?? ''
      if (specifier.startsWith('.')) return [{ target: join(dirname(file), specifier), onlyTypes: onlyTypes !== undefined }]
      const alias = aliases.find(([name]) => specifier.startsWith(name))
      if (alias) return [{ target: alias[1] + specifier.slice(alias[0].length), onlyTypes: onlyTypes !== undefined }]
      const own = /^@offhook\/([\w-]+)(?:\/(.*))?$/.exec(specifier)
      return own ? [{ target: `packages/${own[1]}/src/${own[2] ?? 'index.ts'}`, onlyTypes: onlyTypes !== undefined }] : []
    },
  )

test('each part imports only what it may', () => {
  assert.ok(sources.length > 50)
  for (const file of sources) {
    const from = partOf(file)
    for (const { target } of importsOf(file)) {
      const to = partOf(target)
      assert.ok(from === to || allowed[from]?.includes(to), `${file} may not import ${relative('.', target)}`)
    }
  }
})

test('an adapter does not know another adapter', () => {
  const folder = (file: string): string => (file.startsWith(`${server}adapters/`) ? (file.slice(server.length).split('/')[1] ?? '') : '')
  const alone = sources.filter((file) => folder(file) !== '' && !folder(file).endsWith('.ts'))
  for (const file of alone) {
    for (const { target } of importsOf(file)) {
      const other = folder(target)
      assert.ok(other === '' || other === folder(file), `${file} may not import ${target}`)
    }
  }
})

test('the core does not reach the world by itself', () => {
  for (const file of sources.filter((one) => partOf(one) === 'core')) {
    for (const [pattern, what] of forbiddenInCore) assert.doesNotMatch(read(file), pattern, `${file} reaches ${what}`)
  }
})

test('log lines are written through the catalogue of events', () => {
  const inService = sources.filter((file) => file.startsWith(server) && !['log', 'cli', 'main'].includes(partOf(file)))
  for (const file of inService) assert.doesNotMatch(read(file), /from 'pino'|\bconsole\.\w+\(|\.log\.(debug|info|warn|error)\(/, file)
})

test('no file imports itself in a circle', () => {
  const graph = new Map(
    sources.map((file) => [
      file,
      importsOf(file)
        .filter(({ onlyTypes }) => !onlyTypes)
        .map(({ target }) => target),
    ]),
  )
  const done = new Set<string>()
  const visit = (file: string, path: string[]): void => {
    assert.ok(!path.includes(file), `circle: ${[...path, file].join(' → ')}`)
    if (done.has(file)) return
    for (const next of graph.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of sources) visit(file, [])
})

test('names say what a file is for', () => {
  for (const file of sources) assert.doesNotMatch(file, /\/(utils?|helpers?|common|shared|misc|manager|service)s?(\.ts|\/)/, file)
})
