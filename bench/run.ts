import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** Every figure, one after the other: two at once would measure each other. */
const telephone = [
  'http',
  'money',
  'crash',
  'backup',
  'start',
  'packed',
  'calls',
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
  'smpp',
  'timeline',
  'traces',
  'console',
  'heap',
  'memory',
  'metrics',
]
const assistant = ['turns', 'echo', 'ear', 'recognisers', 'synthesis', 'sessions', 'sessions-per-core', 'talks']
const all = [...telephone, ...assistant]
const wanted = process.argv.length > 2 ? process.argv.slice(2) : all

for (const name of wanted) {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], { stdio: 'inherit' })
  const code = await new Promise<number>((resolve) => child.on('exit', (exit) => resolve(exit ?? 1)))
  if (code !== 0) process.exitCode = code
}
