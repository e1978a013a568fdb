import { spawn } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Outcome } from './outcome.ts'
import { offerPostgres } from '#test/store/migrated-postgres.ts'

/**
 * Groups with their own scripts (`npm run test:calls`, and so on) and their folders in `test`. A file elsewhere names its group in its first line:
 * `// test: chance`. CONTRIBUTING.md says what each group proves.
 */
const groups: Record<string, readonly string[]> = {
  calls: ['e2e', 'calls'],
  messages: ['messages'],
  console: ['console'],
  cluster: ['cluster'],
  ship: ['ship'],
  portable: ['portable'],
  speech: ['speech'],
  llm: ['llm'],
  chance: ['sim'],
  slow: [],
  /** Part of `npm run check`. */
  check: [],
}
/** Audio and third-party programs run in real time: nothing that computes may make them late. */
const groupsInRealTime = ['calls', 'messages', 'console', 'cluster', 'ship', 'portable', 'speech']
const words = [...Object.keys(groups), 'own process', 'real time']

interface TestFile {
  path: string
  group: string | undefined
  /** It starts processes or threads, changes its own process, or inspects loaded modules. */
  ownProcess: boolean
  realTime: boolean
}

const root = join(import.meta.dirname, '..')

const testFile = (path: string): TestFile => {
  const marks = /^\/\/ test: (.+)$/m.exec(readFileSync(join(root, path), 'utf8').split('\n', 1)[0] ?? '')?.[1]?.split(', ') ?? []
  const unknown = marks.find((mark) => !words.includes(mark))
  if (unknown !== undefined) throw new Error(`${path}: "${unknown}" in the first line is none of: ${words.join(', ')}`)
  const folder = path.split('/')[1] ?? ''
  const ofFolder = path.startsWith('test/') ? Object.keys(groups).find((name) => groups[name]?.includes(folder)) : undefined
  const group = marks.find((mark) => mark in groups) ?? ofFolder
  const realTime = marks.includes('real time') || (group !== undefined && groupsInRealTime.includes(group))
  return { path, group, ownProcess: marks.includes('own process'), realTime }
}

const everyFile = (): TestFile[] =>
  globSync(['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'], { cwd: root }).toSorted().map(testFile)

/** Runs everything outside the groups, or the named groups and files, with one PostgreSQL for those that need it. */
const named = process.argv.slice(2)
const filesOf = (name: string): TestFile[] =>
  name in groups ? everyFile().filter(({ group }) => group === name) : [testFile(relative(root, resolve(name)))]
const files = named.length > 0 ? named.flatMap(filesOf) : everyFile().filter(({ group }) => group === undefined)

/**
 * The files of a room share a process, because loading the service's sources takes longer than most tests. A file belongs to the first room that its path
 * starts with.
 */
const rooms = [
  'packages/server/src/http/v1/',
  'packages/server/src/http/',
  'packages/server/src/core/telephone/',
  'packages/server/src/core/',
  'packages/server/src/adapters/speech/',
  'packages/server/src/adapters/',
  'packages/server/src/',
  'packages/',
  '',
]

/** In memory, if there is room: databases wait for the disk with every transaction, and no test data must survive a power failure. */
const fastFolder = (): string => {
  const enough = 6 * 1024 ** 3 // the copies of the migrated database take up to 2.5
  const room = existsSync(inMemory) ? statfsSync(inMemory) : undefined
  return room && room.bavail * room.bsize >= enough ? inMemory : tmpdir()
}
const inMemory = '/dev/shm'

const folder = mkdtempSync(join(fastFolder(), 'offhook-tests-'))
chmodSync(folder, 0o1777) // like /tmp: PostgreSQL runs as another user when the tests run as root
process.env['TMPDIR'] = folder // also for PostgreSQL, which this process starts
const postgres = await offerPostgres(join(folder, 'postgres.sock'))
const environment = {
  // Without a cache each process would compile the same sources again.
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/tests'),
  ...(named.length === 0 && { OFFHOOK_TEST_DATABASES: 'sqlite' }),
  ...process.env,
  ...postgres.environment,
  OFFHOOK_TEST_FOLDER: folder,
  TMPDIR: folder,
}
let runs = 0
const nothing: Outcome = { passed: 0, failed: 0, skipped: 0, failedFiles: [], reasons: [] }

/** Milliseconds after which a hanging test fails. */
const maxTestMs = 10 * 60_000
/** A run that prints nothing for longer than a test may take waits for a file that does not end: stops it, which names the file. */
const maxSilenceMs = maxTestMs + 60_000

/** Node's arguments for files that share a process, or for a process of each file. */
const argumentsOf = (files: readonly string[], concurrency: number | 'shared', outcomeFile: string): string[] => {
  const hooks = `--import=${pathToFileURL(join(root, 'test/light-hooks.ts')).href}`
  // Each test starts a service and drops it: a larger young generation saves a twelfth of the CPU.
  if (concurrency === 'shared')
    return [hooks, '--max-semi-space-size=64', join(root, 'test/room.ts'), outcomeFile, String(maxTestMs), ...files]
  const reporters = ['--test-reporter=spec', '--test-reporter-destination=stdout']
  reporters.push(`--test-reporter=${join(root, 'test/outcome.ts')}`, `--test-reporter-destination=${outcomeFile}`)
  return ['--test', hooks, `--test-concurrency=${concurrency}`, `--test-timeout=${maxTestMs}`, ...reporters, ...files]
}

/** A test of a shared suite fails in the file of the suite: the test files that import it have failed. */
const usersOf = (failed: string, these: readonly string[]): string[] => {
  if (these.includes(failed)) return [failed]
  const imported = failed.replace(/^test\/support\//, '#test/')
  const users = these.filter((path) => readFileSync(join(root, path), 'utf8').includes(`'${imported}'`))
  return users.length > 0 ? users : [failed]
}

/** Tests that compute run behind those in real time: they may take longer, but must not make audio late. */
const programOf = (priority: 'normal' | 'behind'): readonly [string, ...string[]] =>
  priority === 'behind' && process.platform !== 'win32' ? ['nice', '-n', '10', process.execPath] : [process.execPath]

const run = async (
  these: readonly string[],
  concurrency: number | 'shared',
  priority: 'normal' | 'behind' = 'normal',
): Promise<Outcome> => {
  if (these.length === 0) return nothing
  const file = join(folder, `outcome-${runs++}.json`)
  const colours = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
  const [program, ...before] = programOf(priority)
  const child = spawn(program, [...before, ...argumentsOf(these, concurrency, file)], {
    cwd: root,
    stdio: ['inherit', 'pipe', 'inherit'],
    env: { ...colours, ...environment },
  })
  const stop = (signal: NodeJS.Signals): unknown => child.kill(signal)
  const silence = setTimeout(() => {
    console.log(`\nNothing was printed for ${maxSilenceMs / 60_000} minutes: the run is stopped.`)
    stop('SIGTERM')
  }, maxSilenceMs)
  child.stdout.on('data', () => silence.refresh()).pipe(process.stdout, { end: false })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
  // A program left behind by a test may hold the pipe open.
  child.once('exit', () => setTimeout(() => child.stdout.destroy(), 5_000).unref())
  const code = await new Promise<number>((done) => child.on('close', (exit) => done(exit ?? 1)))
  clearTimeout(silence)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
  const written = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const outcome = written === '' ? nothing : (JSON.parse(written) as Outcome)
  const failedFiles = [...new Set(outcome.failedFiles.flatMap((failed) => usersOf(relative(root, resolve(root, failed)), these)))]
  // Neither a crashed process nor an error outside of a test reports a failed test: the run still fails.
  return code !== 0 && failedFiles.length === 0
    ? { ...outcome, failed: 1, failedFiles: ['a process that died'], reasons: [`one of: ${these.join(' ')}`] }
    : { ...outcome, failedFiles }
}

const all = (outcomes: readonly Outcome[]): Outcome => ({
  passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
  failed: outcomes.reduce((sum, { failed }) => sum + failed, 0),
  skipped: outcomes.reduce((sum, { skipped }) => sum + skipped, 0),
  failedFiles: outcomes.flatMap(({ failedFiles }) => failedFiles),
  reasons: outcomes.flatMap(({ reasons }) => reasons),
})

const pathsOf = (list: readonly TestFile[]): string[] => list.map(({ path }) => path)
const apartIn = (list: readonly TestFile[]): string[] => pathsOf(list.filter(({ ownProcess }) => ownProcess))
const sharedIn = (list: readonly TestFile[]): TestFile[] => list.filter(({ ownProcess }) => !ownProcess)

/** Three concurrent runs, because tests of audio, processes and PostgreSQL wait. Files with their own process come between the rooms, in batches. */
const runEverything = async (): Promise<Outcome> => {
  const roomOf = ({ path }: TestFile): string | undefined => rooms.find((room) => path.startsWith(room))
  const [inRealTime, computing] = [files.filter(({ realTime }) => realTime), files.filter(({ realTime }) => !realTime)]
  const [apart, shared] = [apartIn(computing), Map.groupBy(sharedIn(computing), roomOf)]
  const share = Math.ceil(apart.length / rooms.length)
  const waiting = [
    () => run(pathsOf(sharedIn(inRealTime)), 'shared'),
    () => run(apartIn(inRealTime), 1),
    ...rooms.flatMap((room, index) => [
      () => run(pathsOf(shared.get(room) ?? []), 'shared', 'behind'),
      () => run(apart.slice(index * share, (index + 1) * share), 1, 'behind'),
    ]),
  ]
  const outcomes: Outcome[] = []
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) outcomes.push(await next())
  }
  await Promise.all([lane(), lane(), lane()])
  return all(outcomes)
}

const runNamed = (): Promise<Outcome> => run(pathsOf(files), files.length === 1 ? 'shared' : 2)

/** Seconds of all processors since the machine started, and those that its host gave to other machines. Only Linux counts them. */
const processorTime = (): { total: number; stolen: number } => {
  const counts = existsSync('/proc/stat')
    ? readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/).slice(1, 9).map(Number)
    : undefined
  return { total: counts?.reduce((sum, count) => sum + count, 0) ?? 0, stolen: counts?.[7] ?? 0 }
}
const atStart = processorTime()

/** Percentage of the processors' time that went to other machines during the run. */
const stolenPercentage = (): number => {
  const { total, stolen } = processorTime()
  return Math.round((100 * (stolen - atStart.stolen)) / Math.max(total - atStart.total, 1))
}

/** `.ci/run` adds the reruns of all groups up, and prints why the files failed at first. */
const recordReruns = (paths: readonly string[], why: readonly string[]): void => {
  const record = process.env.OFFHOOK_TEST_RERUNS
  if (record === undefined) return
  const stolen = stolenPercentage()
  appendFileSync(record, paths.map((path) => `${stolen} % ${path}\n`).join(''))
  const maxLines = 40
  appendFileSync(`${record}.reasons`, why.map((reason) => `\nran twice: ${reason.split('\n', maxLines).join('\n')}\n`).join(''))
}

/** A busy machine can make any process late: a file that fails beside others runs once more alone, and the last line names it. */
const maxRerunFiles = 10
let { passed, failed, skipped, failedFiles, reasons } = named.length > 0 ? await runNamed() : await runEverything()
const known = pathsOf(files)
const mayRerun = files.length > 1 && failedFiles.length <= maxRerunFiles && failedFiles.every((path) => known.includes(path))
const reruns = mayRerun ? failedFiles : []
if (reruns.length > 0) {
  console.log(`\nFailed beside other tests; once more alone, where they have to pass: ${reruns.join(', ')}\n`)
  recordReruns(reruns, reasons)
  const again = await run(reruns, 1)
  passed += failed - again.failed
  failed = again.failed
  reasons = again.reasons
}
await postgres.stop()
rmSync(folder, { recursive: true })
for (const reason of reasons) console.log(`\n✖ ${reason}`)
if (reruns.length > 0) console.log(`\nrun twice: ${reruns.join(', ')}`)
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped, ${reruns.length} run twice`)
process.exitCode = failed === 0 ? 0 : 1
