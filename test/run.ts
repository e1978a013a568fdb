import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { startPostgres } from './support/postgres.ts'

/** What takes minutes is apart: `npm run test:calls`, and so on. */
const apart: Record<string, string[]> = {
  /** Telephones in real time. */
  calls: ['test/e2e/**/*.test.ts', 'test/calls/**/*.test.ts'],
  /** Faxes and SMS to other people's programs. */
  messages: ['test/messages/**/*.test.ts'],
  /** The embedded models. */
  speech: ['test/speech/**/*.test.ts'],
  /** Whatever may happen, in thousands of orders: random bytes, random faults, random sequences. */
  chance: ['packages/*/src/**/{fuzz,*-fuzz,chance,*-chance,failures,misfortunes,lossy-line,invariants}.test.ts', 'test/sim/**/*.test.ts'],
}

/** Runs every test, one of the groups above, or the files that were named, with one PostgreSQL for all of them. */
const root = join(import.meta.dirname, '..')
const named = process.argv.slice(2)
const filesOf = (patterns: readonly string[], exclude: readonly string[] = []): string[] =>
  globSync(patterns, { cwd: root, exclude }).toSorted()
const files =
  named.length > 0
    ? named.flatMap((name) => (apart[name] ? filesOf(apart[name]) : name))
    : filesOf(['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'], Object.values(apart).flat())
const folder = mkdtempSync(join(tmpdir(), 'offhook-tests-'))
const failures = join(folder, 'failed.json')

const reporters = [
  ['spec', 'stdout'],
  [join(root, 'test/summary.ts'), 'stdout'],
  [join(root, 'test/failed-files.ts'), failures],
].flatMap(([reporter, to]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${to}`])

const postgres = await startPostgres()
const environment = {
  // Every test file is a process of its own; without a cache each of them would read and compile the same sources again.
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/tests'),
  ...process.env,
  OFFHOOK_TEST_POSTGRES: postgres.url,
}

/** A test that hangs fails after five minutes. */
const run = (these: readonly string[], concurrency: number): Promise<number> => {
  const options = ['--test', `--test-concurrency=${concurrency}`, '--test-timeout=300000', ...reporters]
  const child = spawn(process.execPath, [...options, ...these], { cwd: root, stdio: 'inherit', env: environment })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((done) => child.on('exit', (exit) => done(exit ?? 1)))
}

const failedFiles = (): string[] =>
  (JSON.parse(readFileSync(failures, 'utf8')) as string[]).map((file) => relative(root, resolve(root, file)))

/** Sound and telephones of others keep real time, which a machine that is busy with something else cannot always give them. */
const inRealTime = (file: string): boolean =>
  /^(packages\/server\/src\/(media|adapters\/telephony)|test\/(e2e|calls|speech|messages))\//.test(file)

let code = await run(files, 2)
const failed = code === 0 ? [] : failedFiles()
if (failed.length > 0 && failed.length <= 5 && failed.every(inRealTime)) {
  console.log(`\nFailed beside other tests, once more alone, where it has to pass: ${failed.join(', ')}\n`)
  code = await run(failed, 1)
}
await postgres.stop()
rmSync(folder, { recursive: true })
process.exitCode = code
