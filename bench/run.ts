import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Every figure, one after the other: two at once would measure each other. */
const telephone = [
  'http',
  'money',
  'crash',
  'backup',
  'start',
  'idle',
  'packed',
  'calls',
  'side-by-side',
  'statements',
  'scale',
  'postgres-calls',
  'registrations',
  'control',
  'resume',
  'bus',
  'elsewhere',
  'media',
  'media-under-http',
  'media-portable',
  'fax',
  'upload',
  'smpp',
  'timeline',
  'traces',
  'console',
  'heap',
  'memory',
  'metrics',
]
const assistant = [
  'turns',
  'interruptions',
  'echo',
  'ear',
  'recognisers',
  'synthesis',
  'sessions',
  'sessions-per-core',
  'talks',
  'last-words',
  'conversation',
]
const all = [...telephone, ...assistant]
/** An hour and more; only when named. */
const long = ['soak']
/** `node bench/run.ts [name …] [number …] [--option …]`: what follows the names is for the programs that were named. */
const given = process.argv.slice(2)
const firstOption = given.findIndex((one) => /^[-\d]/.test(one))
const names = firstOption < 0 ? given : given.slice(0, firstOption)
const options = firstOption < 0 ? [] : given.slice(firstOption)
const wanted = names.length > 0 ? names : all

/** Those that are made of many files have a folder. */
const programOf = (name: string): string => {
  const folder = join(import.meta.dirname, name)
  return existsSync(folder) ? join(folder, 'bench.ts') : `${folder}.ts`
}

const unknown = wanted.filter((name) => !existsSync(programOf(name)))
if (unknown.length > 0) {
  console.error(`there is no bench ${unknown.join(', ')}: ${[...all, ...long].join(', ')}`)
  process.exit(2)
}

const signals = ['SIGINT', 'SIGTERM'] as const
for (const name of wanted) {
  const child = spawn(process.execPath, [programOf(name), ...options], { stdio: 'inherit' })
  const stop = (): void => {
    child.kill()
    wanted.length = 0
  }
  for (const signal of signals) process.once(signal, stop)
  const code = await new Promise<number>((resolve) => child.on('exit', (exit) => resolve(exit ?? 1)))
  for (const signal of signals) process.off(signal, stop)
  if (code !== 0) process.exitCode = code
}
