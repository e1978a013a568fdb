import { spawn } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import type { Outcome } from './outcome.ts'
import { offerPostgres } from '#test/store/migrated-postgres.ts'

/** Groups that take minutes have scripts of their own: `npm run test:calls`, and so on. */
const apart: Record<string, string[]> = {
  /** Telephones in real time, browsers among them. */
  calls: ['test/e2e/**/*.test.ts', 'test/calls/**/*.test.ts', 'packages/server/src/**/{webrtc-browser,webrtc-resume,browser-call}.test.ts'],
  /** Faxes and SMS to other people's programs. */
  messages: ['test/messages/**/*.test.ts'],
  /** The console in a real browser. */
  console: ['test/console/**/*.test.ts'],
  /** Several processes, and what stands between and behind them, with other people's programs. */
  cluster: ['test/cluster/**/*.test.ts', 'test/database-away.test.ts'],
  /** What is installed, built and operated: packages, image, unit, backup, the commands of the guides. */
  ship: ['test/ship/**/*.test.ts', 'packages/server/src/cli.test.ts', 'test/generated-clients.test.ts'],
  /** What a laptop without Linux gets; runs on one, too. */
  portable: ['test/portable/**/*.test.ts'],
  /** The embedded models. */
  speech: ['test/speech/**/*.test.ts'],
  /** A language model of yours: OFFHOOK_TEST_MODEL_URL and OFFHOOK_TEST_MODEL_NAME say where it is. Not in `.ci/run`. */
  llm: ['test/llm/**/*.test.ts'],
  /** Random bytes, random faults, random sequences. */
  chance: [
    'packages/*/src/**/{fuzz,*-fuzz,chance,*-chance,faults,*-faults,failures,misfortunes,lossy-link,invariants}.test.ts',
    'test/sim/**/*.test.ts',
    'test/isolation/*-fuzz.test.ts',
  ],
}

/** Runs every test, one of the groups above, or the files that were named, with one PostgreSQL for those that need it. */
const root = join(import.meta.dirname, '..')
const named = process.argv.slice(2)
const filesOf = (patterns: readonly string[], exclude: readonly string[] = []): string[] =>
  globSync(patterns, { cwd: root, exclude }).toSorted()
const files =
  named.length > 0
    ? named.flatMap((name) => (apart[name] ? filesOf(apart[name]) : name))
    : filesOf(['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'], Object.values(apart).flat())
/**
 * The files of each of these rooms share a process: reading the sources of the service takes longer than most tests. What starts processes or threads,
 * changes its own process, or looks at what is loaded, has a process for itself.
 */
const sharedProcessGroups = {
  http: [/^packages\/server\/src\/http\/(?!v1\/)/],
  v1: [/^packages\/server\/src\/http\/v1\//],
  calls: [/^packages\/server\/src\/core\/(telephone|assistant)\//],
  rules: [
    /^packages\/(contract|sdk|gateway|mcp|agent(?!\/src\/serve)|sip|smpp|console|docs)\//,
    /^packages\/server\/src\/(core\/(?!telephone\/|assistant\/)\w+|media\/(codec|dtmf|jitter|rtp|sound))\//,
  ],
  adapters: [/^packages\/server\/src\/adapters\/(?!speech\/)/],
  others: [
    /^bench\/(?!shared\/)/,
    /^packages\/server\/src\/(first-start|generate|settings)\//,
    /^packages\/server\/src\/adapters\/speech\/(?!models\/|.*(ears|thread|runtime|loading|pool|program-voices|open-voices|voice-parts))/,
    /^packages\/server\/src\/cli\/(connection|dev\/extended-events|doctor\/phones|init|say|start\/welcome|upgrade)/,
    /^packages\/server\/src\/media\/(fax\/(header-text|rtp-timeline|udptl)|recording\/recorder|socket\/(port-pool|source-lock)|stream\/(mixer|rest)|thread\/memory-pool)/,
    /^packages\/server\/src\/(places|log\/(stack|terminal-log)|wiring\/(database|listening|machine\/machine))/,
    /^test\/(isolation\/|release\/(?!bill)|support\/(clock|model|ports|sound|speech)\/|spec|store|coming-from-ai-flow)/,
  ],
}

/** In memory, where there is room: databases wait for the disk with every transaction, and nothing here has to survive a power cut. */
const fastFolder = (): string => {
  const enough = 2 * 1024 ** 3
  const room = existsSync(inMemory) ? statfsSync(inMemory) : undefined
  return room && room.bavail * room.bsize >= enough ? inMemory : tmpdir()
}
const inMemory = '/dev/shm'

const folder = mkdtempSync(join(fastFolder(), 'offhook-tests-'))
chmodSync(folder, 0o1777) // as /tmp: PostgreSQL runs as another user when we are root
const postgres = await offerPostgres(join(folder, 'postgres.sock'))
const environment = {
  // Without a cache each process would read and compile the same sources again.
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/tests'),
  ...process.env,
  ...postgres.environment,
  OFFHOOK_TEST_FOLDER: folder,
  TMPDIR: folder,
}
let runs = 0
const nothing: Outcome = { passed: 0, failed: 0, skipped: 0, failedFiles: [], reasons: [] }

/** A test that hangs fails after five minutes. */
const run = async (these: readonly string[], processes: '--test-isolation=none' | `--test-concurrency=${number}`): Promise<Outcome> => {
  if (these.length === 0) return nothing
  const file = join(folder, `outcome-${runs++}.json`)
  const reporters = ['--test-reporter=spec', '--test-reporter-destination=stdout']
  reporters.push(`--test-reporter=${join(root, 'test/outcome.ts')}`, `--test-reporter-destination=${file}`)
  const options = ['--test', processes, '--test-timeout=300000', ...reporters]
  const child = spawn(process.execPath, [...options, ...these], { cwd: root, stdio: 'inherit', env: environment })
  const stop = (signal: NodeJS.Signals): unknown => child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
  const code = await new Promise<number>((done) => child.on('exit', (exit) => done(exit ?? 1)))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
  const written = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const outcome = written === '' ? nothing : (JSON.parse(written) as Outcome)
  const failedFiles = outcome.failedFiles.map((failed) => relative(root, resolve(root, failed)))
  // A process that died has reported no failed test: the run has failed nevertheless.
  return code !== 0 && failedFiles.length === 0
    ? { ...outcome, failed: 1, failedFiles: ['a process that died'] }
    : { ...outcome, failedFiles }
}

const all = (outcomes: readonly Outcome[]): Outcome => ({
  passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
  failed: outcomes.reduce((sum, { failed }) => sum + failed, 0),
  skipped: outcomes.reduce((sum, { skipped }) => sum + skipped, 0),
  failedFiles: outcomes.flatMap(({ failedFiles }) => failedFiles),
  reasons: outcomes.flatMap(({ reasons }) => reasons),
})

/**
 * Three runs at a time: a third of their time they wait for PostgreSQL. The longest come first, since what runs last runs beside nothing. Files that are
 * alone start processes of their own, so they come in three parts with other runs between them.
 */
const runEverything = async (): Promise<Outcome> => {
  const isOf = (members: readonly RegExp[], file: string): boolean => members.some((one) => one.test(file))
  const alone = files.filter((file) => !isOf(Object.values(sharedProcessGroups).flat(), file))
  const ofHousehold = (members: readonly RegExp[]): string[] => files.filter((file) => isOf(members, file))
  const together = (members: readonly RegExp[]) => () => run(ofHousehold(members), '--test-isolation=none')
  const third = (rest: number): string[] => alone.filter((_, index) => index % 3 === rest)
  const partOf = (rest: number) => () => run(third(rest), '--test-concurrency=1')
  const { http, v1, calls, rules, adapters, others } = sharedProcessGroups
  const waiting = [together(http), partOf(0), together(v1), together(calls), partOf(1), together(rules), together(adapters), partOf(2)]
  waiting.push(together(others))
  const outcomes: Outcome[] = []
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) outcomes.push(await next())
  }
  await Promise.all([lane(), lane(), lane()])
  return all(outcomes)
}

const groupsInRealTime = ['calls', 'messages', 'console', 'cluster', 'ship', 'portable', 'speech']

/** Audio and other people's telephones run in real time, which a busy machine cannot always keep. */
const inRealTime = (file: string): boolean =>
  /^packages\/server\/src\/(media|adapters\/telephony)\//.test(file) ||
  groupsInRealTime.some((group) => filesOf(apart[group] ?? []).includes(file))

const runNamed = (): Promise<Outcome> => run(files, files.length === 1 ? '--test-isolation=none' : '--test-concurrency=2')

let { passed, failed, skipped, failedFiles, reasons } = named.length > 0 ? await runNamed() : await runEverything()
if (failed > 0 && failedFiles.length <= 5 && failedFiles.every(inRealTime)) {
  console.log(`\nFailed beside other tests; once more alone, where they have to pass: ${failedFiles.join(', ')}\n`)
  const again = await run(failedFiles, '--test-concurrency=1')
  passed += failed - again.failed
  failed = again.failed
  reasons = again.reasons
}
await postgres.stop()
rmSync(folder, { recursive: true })
for (const reason of reasons) console.log(`\n✖ ${reason}`)
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exitCode = failed === 0 ? 0 : 1
