// test: check
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { unusedExports } from '#test/architecture/exports.ts'
import { filesOf, findCircle, importGraph, importsOf, read, roomsOf, root, specifiersOf } from '#test/architecture/import-graph.ts'

const server = 'packages/server/src/'
const core = `${server}core/`

/** Allowed imports between parts; a part may always import itself. `wiring` builds the service, so it may import everything. */
const parts: Record<string, string[]> = {
  contract: [],
  sip: [],
  smpp: [],
  media: [],
  places: [],
  core: ['contract'],
  adapters: ['core', 'contract', 'agent', 'gateway', 'sdk', 'log', 'sip', 'media', 'smpp', 'places'],
  http: ['core', 'contract', 'mcp', 'log', 'places'],
  log: [],
  settings: ['adapters', 'places'],
  'first-start': ['core', 'http', 'contract'],
  generate: ['adapters', 'core', 'settings', 'log', 'contract', 'places'],
  wiring: ['settings', 'log', 'first-start', 'adapters', 'core', 'http', 'contract', 'agent', 'sip', 'media', 'smpp', 'places'],
  cli: ['wiring', 'settings', 'log', 'first-start', 'adapters', 'media', 'contract', 'sdk', 'mcp', 'places'],
  main: ['cli', 'settings', 'log', 'places'],
  sdk: ['contract'],
  agent: ['contract', 'sdk'],
  gateway: ['contract', 'sdk'],
  mcp: ['contract', 'sdk'],
  console: ['contract', 'sdk'],
  docs: [],
}

/** Floors of core, lowest first. A floor imports only floors below it; two on the same level do not import each other. */
const floors = [['kernel'], ['money', 'speech'], ['account'], ['telephone'], ['assistant', 'messages'], ['operate']]

/** Core performs no I/O directly: it uses ports. */
const forbiddenInCore = [
  [/from 'node:(net|dgram|fs|fs\/promises|http|https|tls|timers|timers\/promises|child_process|worker_threads|dns|sqlite)'/, 'the outside'],
  [/\bDate\.now\(\)|new Date\(\)|\bperformance\.now\(\)/, 'the time (use the Clock port)'],
  [/\bsetTimeout\(|\bsetInterval\(|\bsetImmediate\(/, 'timers (use the Clock port)'],
  [/from '(fastify|kysely|pg|undici|nodemailer)'/, 'an adapter’s library'],
] as const

const maxFilesInFolder = 25
/** Folders in which a file is named after the first segment of its endpoints' path, so that readers find it by name. */
const byPath = /^packages\/(contract\/src|server\/src\/http)\/(v\d|operator)$/

const all = filesOf('packages/*/src/**/*.{ts,tsx}')
const forTests = (file: string): boolean => file.endsWith('.test.ts') || file.includes('/testing/')
const sources = all.filter((file) => !forTests(file))
const graph = importGraph(sources)

const partOf = (file: string): string => {
  if (!file.startsWith('packages/server/')) return file.split('/')[1] ?? ''
  const inside = file.slice(server.length)
  if (inside === 'places.ts') return 'places'
  return inside.includes('/') ? (inside.split('/')[0] ?? '') : 'main'
}

test('allows each part only its permitted imports', () => {
  assert.ok(sources.length > 1_000)
  for (const [file, targets] of graph) {
    for (const target of targets)
      assert.ok(partOf(file) === partOf(target) || parts[partOf(file)]?.includes(partOf(target)), `${file} may not import ${target}`)
  }
})

test('lets each floor of core import only lower floors', () => {
  const levelOf = (file: string): [level: number, floor: string] => {
    const floor = file.slice(core.length).split('/')[0] ?? ''
    return [floors.findIndex((names) => names.includes(floor)), floor]
  }
  for (const [file, targets] of graph) {
    if (!file.startsWith(core)) continue
    const [level, floor] = levelOf(file)
    assert.notEqual(level, -1, `${file} is on no floor of core`)
    for (const target of targets.filter((one) => one.startsWith(core))) {
      const [below, other] = levelOf(target)
      assert.ok(floor === other || below < level, `${file} (${floor}) may not import ${target} (${other})`)
    }
  }
})

test('has no circular imports between files', () => {
  assert.equal(findCircle(graph)?.join(' → '), undefined)
})

test('has no circular imports between the rooms of a folder', () => {
  const folders = new Set<string>()
  for (const file of sources) for (let folder = dirname(file); folder.split('/').length >= 3; folder = dirname(folder)) folders.add(folder)
  for (const folder of folders) {
    const { rooms, example } = roomsOf(folder, graph)
    const circle = findCircle(rooms)
    const imports = circle?.slice(1).map((to, index) => example(circle[index] ?? '', to))
    assert.equal(imports?.join('\n'), undefined, `the rooms of ${folder} go in a circle: ${circle?.join(' → ')}`)
  }
})

test('keeps adapters independent of each other', () => {
  const folder = (file: string): string => (file.startsWith(`${server}adapters/`) ? (file.slice(server.length).split('/')[1] ?? '') : '')
  for (const [file, targets] of graph) {
    if (folder(file) === '' || folder(file).endsWith('.ts')) continue
    for (const target of targets) {
      const other = folder(target)
      assert.ok(other === '' || other === folder(file), `${file} may not import ${target}`)
    }
  }
})

test('keeps direct I/O out of the core', () => {
  for (const file of sources.filter((one) => partOf(one) === 'core')) {
    for (const [pattern, what] of forbiddenInCore) assert.doesNotMatch(read(file), pattern, `${file} reaches ${what}`)
  }
})

test('imports test helpers only from tests', () => {
  for (const [file, targets] of graph)
    for (const target of targets) assert.ok(!forTests(target) && !target.startsWith('test/'), `${file} may not import ${target}`)
})

test('keeps the libraries independent of the other packages, tests included, except for the clock of the tests', () => {
  for (const file of all.filter((one) => /^packages\/(sip|smpp)\//.test(one))) {
    for (const target of importsOf(file).filter((one) => one !== 'test/support/clock/virtual-clock.ts'))
      assert.equal(partOf(target), partOf(file), `${file} may not import ${target}`)
  }
})

test('resolves paths outside the code in one place', () => {
  const inService = sources.filter((file) => file.startsWith(server) && partOf(file) !== 'places')
  for (const file of inService) assert.doesNotMatch(read(file), /import\.meta\.dirname\W+\.\./, file)
})

test('writes log lines through the catalogue of events', () => {
  const inService = sources.filter((file) => file.startsWith(server) && !['log', 'cli', 'main'].includes(partOf(file)))
  for (const file of inService) assert.doesNotMatch(read(file), /from 'pino'|\bconsole\.\w+\(|\.log\.(debug|info|warn|error)\(/, file)
})

test('puts the call id into log lines about one call', () => {
  const lines = sources.flatMap((file) =>
    [...read(file).matchAll(/\blog\(\s*'((?:call|assistant|phone_audio)_\w+)',([^)]*)/g)].map((found) => [file, ...found.slice(1)]),
  )
  assert.ok(lines.length > 5)
  // A timeline write covers many calls.
  for (const [file, event, fields = ''] of lines)
    assert.ok(fields.includes('callId') || event === 'call_timeline_failed', `${event} in ${file}`)
})

test('rejects file names that do not say what a file is for', () => {
  for (const file of sources) assert.doesNotMatch(file, /\/(utils?|helpers?|common|shared|misc|manager|service)s?(\.ts|\/)/, file)
})

test('imports distant modules through their alias', () => {
  const named = (file: string, specifier: string): string => join(dirname(file), specifier)
  for (const file of [...all.filter((one) => one.startsWith(server)), ...filesOf('{test,bench}/**/*.ts')]) {
    const climbing = specifiersOf(file).filter((specifier) => specifier.startsWith('../../'))
    const far = climbing.filter((specifier) => /^(packages\/server\/src|test\/support)\//.test(named(file, specifier)))
    assert.deepEqual(far, [], `${file} climbs; write #core/…, #test/… and so on`)
  }
})

test('exports only names that another file imports', () => {
  assert.deepEqual(unusedExports(sources), [])
})

test('limits the number of files in a folder', () => {
  const counts = Map.groupBy(sources, dirname)
  for (const [folder, files] of counts)
    assert.ok(byPath.test(folder) || files.length <= maxFilesInFolder, `${folder} has ${files.length} files: give it rooms`)
})

test('finds every file that ARCHITECTURE names', () => {
  const named = read('ARCHITECTURE.md').matchAll(/(?<=^|[\s`(])(?:core|http|adapters|media|wiring|cli|packages|test|docs)\/[\w./-]*\w/gm)
  const paths = [...named].map(([path]) => path)
  assert.ok(paths.length > 50)
  for (const path of paths)
    assert.ok(
      [path, server + path].some((one) => existsSync(join(root, one))),
      `${path} does not exist`,
    )
})
