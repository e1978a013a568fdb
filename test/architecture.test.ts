import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { filesOf, findCircle, importGraph, importsOf, read, roomsOf, root, specifiersOf } from '#test/architecture/import-graph.ts'

const server = 'packages/server/src/'
const core = `${server}core/`

/** Which part may import which; a part may always import itself. `wiring` builds the service, so it may import everything. */
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

/** The floors of core, the lowest first. A floor imports those below it; two on the same level do not know each other. */
const floors = [['kernel'], ['money', 'speech'], ['account'], ['telephone'], ['assistant', 'messages'], ['operate']]

/** Nothing in the core may reach the world by itself: it speaks to ports. */
const forbiddenInCore = [
  [/from 'node:(net|dgram|fs|fs\/promises|http|https|tls|timers|timers\/promises|child_process|worker_threads|dns|sqlite)'/, 'the outside'],
  [/\bDate\.now\(\)|new Date\(\)|\bperformance\.now\(\)/, 'the time (use the Clock port)'],
  [/\bsetTimeout\(|\bsetInterval\(|\bsetImmediate\(/, 'timers (use the Clock port)'],
  [/from '(fastify|kysely|pg|undici|nodemailer)'/, 'an adapter’s library'],
] as const

const maxFilesInFolder = 25
/** Here a file is named after the first segment of its endpoints' path: a reader looks it up and does not search. */
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

test('each part imports only what it may', () => {
  assert.ok(sources.length > 1_000)
  for (const [file, targets] of graph) {
    for (const target of targets)
      assert.ok(partOf(file) === partOf(target) || parts[partOf(file)]?.includes(partOf(target)), `${file} may not import ${target}`)
  }
})

test('the floors of core stand on each other', () => {
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

test('no file imports itself in a circle', () => {
  assert.equal(findCircle(graph)?.join(' → '), undefined)
})

test('the rooms of every folder have an order', () => {
  const folders = new Set<string>()
  for (const file of sources) for (let folder = dirname(file); folder.split('/').length >= 3; folder = dirname(folder)) folders.add(folder)
  for (const folder of folders) {
    const { rooms, example } = roomsOf(folder, graph)
    const circle = findCircle(rooms)
    const imports = circle?.slice(1).map((to, index) => example(circle[index] ?? '', to))
    assert.equal(imports?.join('\n'), undefined, `the rooms of ${folder} go in a circle: ${circle?.join(' → ')}`)
  }
})

test('an adapter does not know another adapter', () => {
  const folder = (file: string): string => (file.startsWith(`${server}adapters/`) ? (file.slice(server.length).split('/')[1] ?? '') : '')
  for (const [file, targets] of graph) {
    if (folder(file) === '' || folder(file).endsWith('.ts')) continue
    for (const target of targets) {
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

test('what helps tests is imported by tests only', () => {
  for (const [file, targets] of graph)
    for (const target of targets) assert.ok(!forTests(target) && !target.startsWith('test/'), `${file} may not import ${target}`)
})

test('the libraries stand alone: not even their tests import anything of ours', () => {
  for (const file of all.filter((one) => /^packages\/(sip|smpp)\//.test(one))) {
    for (const target of importsOf(file)) assert.equal(partOf(target), partOf(file), `${file} may not import ${target}`)
  }
})

test('what lies beside the code is known in one place', () => {
  const inService = sources.filter((file) => file.startsWith(server) && partOf(file) !== 'places')
  for (const file of inService) assert.doesNotMatch(read(file), /import\.meta\.dirname\W+\.\./, file)
})

test('log lines are written through the catalogue of events', () => {
  const inService = sources.filter((file) => file.startsWith(server) && !['log', 'cli', 'main'].includes(partOf(file)))
  for (const file of inService) assert.doesNotMatch(read(file), /from 'pino'|\bconsole\.\w+\(|\.log\.(debug|info|warn|error)\(/, file)
})

test('log lines about one call name it', () => {
  const lines = sources.flatMap((file) =>
    [...read(file).matchAll(/\blog\(\s*'((?:call|assistant|phone_audio)_\w+)',([^)]*)/g)].map((found) => [file, ...found.slice(1)]),
  )
  assert.ok(lines.length > 5)
  // Of timelines many calls are written at once.
  for (const [file, event, fields = ''] of lines)
    assert.ok(fields.includes('callId') || event === 'call_timeline_failed', `${event} in ${file}`)
})

test('names say what a file is for', () => {
  for (const file of sources) assert.doesNotMatch(file, /\/(utils?|helpers?|common|shared|misc|manager|service)s?(\.ts|\/)/, file)
})

test('what is far away is named by its room', () => {
  const named = (file: string, specifier: string): string => join(dirname(file), specifier)
  for (const file of [...all.filter((one) => one.startsWith(server)), ...filesOf('{test,bench}/**/*.ts')]) {
    const climbing = specifiersOf(file).filter((specifier) => specifier.startsWith('../../'))
    const far = climbing.filter((specifier) => /^(packages\/server\/src|test\/support)\//.test(named(file, specifier)))
    assert.deepEqual(far, [], `${file} climbs; write #core/…, #test/… and so on`)
  }
})

test('a folder can be taken in at a glance', () => {
  const counts = Map.groupBy(sources, dirname)
  for (const [folder, files] of counts)
    assert.ok(byPath.test(folder) || files.length <= maxFilesInFolder, `${folder} has ${files.length} files: give it rooms`)
})

test('ARCHITECTURE names files that exist', () => {
  const named = read('ARCHITECTURE.md').matchAll(/(?<=^|[\s`(])(?:core|http|adapters|media|wiring|cli|packages|test|docs)\/[\w./-]*\w/gm)
  const paths = [...named].map(([path]) => path)
  assert.ok(paths.length > 50)
  for (const path of paths)
    assert.ok(
      [path, server + path].some((one) => existsSync(join(root, one))),
      `${path} does not exist`,
    )
})
