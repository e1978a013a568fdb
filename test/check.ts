import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `npm run check`: all steps side by side, each with its time. `npm run check:fast` (`--changed`): types and lint of the files that differ from the
 * last commit on the main branch, which misses mistakes in files that import them.
 */
const root = join(import.meta.dirname, '..')
const onlyChanged = process.argv.includes('--changed')
const folders = ['packages', 'test', 'bench', 'release']

const git = (...args: string[]): string[] => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)

const base = (): string => {
  const [main] = git('for-each-ref', '--format=%(refname)', 'refs/remotes/origin/main', 'refs/heads/main')
  return (main === undefined ? undefined : git('merge-base', 'HEAD', main)[0]) ?? 'HEAD'
}

const changedFiles = (): string[] =>
  [...git('diff', '--name-only', '--diff-filter=d', base()), ...git('ls-files', '--others', '--exclude-standard')].filter(
    (file) => folders.includes(file.split('/', 1)[0] ?? '') && existsSync(join(root, file)),
  )

interface Step {
  name: string
  command: [string, ...string[]]
}

const everyStep: Step[] = [
  { name: 'types and lint', command: ['oxlint', '--type-aware', '--type-check', '--deny-warnings', ...folders, 'examples'] },
  { name: 'format', command: ['npm', 'run', 'format:check'] },
  { name: 'architecture', command: ['npm', 'run', 'architecture'] },
]

const changedSteps = (): Step[] => {
  const files = changedFiles()
  const sources = files.filter((file) => /\.tsx?$/.test(file))
  const steps: Step[] = [{ name: 'architecture', command: ['node', '--test', 'test/architecture.test.ts'] }]
  if (sources.length > 0)
    steps.push({ name: 'types and lint', command: ['oxlint', '--type-aware', '--type-check', '--deny-warnings', ...sources] })
  if (files.length > 0) steps.push({ name: 'format', command: ['oxfmt', '--check', '--no-error-on-unmatched-pattern', ...files] })
  return steps
}

/** Prints the output of a step at its end, so that steps do not mix. */
const run = async ({ name, command: [program, ...args] }: Step): Promise<boolean> => {
  const begin = performance.now()
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const code = await new Promise<number | null>((done) => child.once('close', done))
  const seconds = ((performance.now() - begin) / 1000).toFixed(1)
  console.log(code === 0 ? `✔ ${name} (${seconds} s)` : `${output}\n✖ ${name} (${seconds} s)`)
  return code === 0
}

const results = await Promise.all((onlyChanged ? changedSteps() : everyStep).map(run))
process.exitCode = results.every(Boolean) ? 0 : 1
