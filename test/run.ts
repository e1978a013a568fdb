import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from './support/postgres.ts'

/** Runs every test, or the files that were named, with one PostgreSQL for all of them. */
const root = join(import.meta.dirname, '..')
const named = process.argv.slice(2)
const files = named.length > 0 ? named : globSync(['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }).toSorted()

const reporters = ['spec', join(root, 'test/summary.ts')].flatMap((one) => [`--test-reporter=${one}`, '--test-reporter-destination=stdout'])
// Every test file is a process of its own; without a cache each of them would read and compile the same sources again.
const postgres = await startPostgres()
const child = spawn(process.execPath, ['--test', '--test-concurrency=2', ...reporters, ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/tests'), ...process.env, OFFHOOK_TEST_POSTGRES: postgres.url },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const code = await new Promise<number>((resolve) => child.on('exit', (exit) => resolve(exit ?? 1)))
await postgres.stop()
process.exitCode = code
