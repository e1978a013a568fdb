import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** All benches by folder, one after the other: concurrent ones would distort each other. */
const rooms = {
  http: ['http', 'upload', 'console', 'slow-line', 'metrics', 'traces', 'lists'],
  store: ['money', 'crash', 'booking-race', 'backup', 'statements', 'postgres-calls', 'timeline', 'history-search'],
  start: ['start', 'idle', 'packed', 'heap', 'memory'],
  calls: ['calls', 'scale', 'registrations', 'edge-registrations', 'flood', 'control', 'fax', 'smpp'],
  cluster: ['bus', 'elsewhere', 'resume'],
  media: ['media', 'media-under-http', 'media-portable'],
  assistant: [
    'turns',
    'interruptions',
    'sessions',
    'sessions-per-core',
    'talks',
    'last-words',
    'claims',
    'knowledge',
    'prompt-calls',
    'simulate',
    'overload',
  ],
  speech: ['echo', 'ear', 'recognisers', 'readings', 'synthesis', 'message-text', 'remote'],
}
/** Parts of other benches, and long ones; run only when named. */
const parts = { calls: ['sip-calls', 'sip-parse'], start: ['first-change'], cluster: ['simulation', 'crowd'] }
/** Benches with a folder of their own. */
const large = ['side-by-side', 'conversation', 'neighbour', 'hostile']
/** An hour and more; run only when named. */
const long = ['soak']

const inRooms = (named: Record<string, readonly string[]>): [string, string][] =>
  Object.entries(named).flatMap(([room, names]) => names.map((name): [string, string] => [name, `${room}/${name}.ts`]))
const inFolders = (names: readonly string[]): [string, string][] => names.map((name) => [name, `${name}/bench.ts`])
const always = new Map([...inRooms(rooms), ...inFolders(large)])
const programs = new Map([...always, ...inRooms(parts), ...inFolders(long)])

/** `node bench/run.ts [name …] [number …] [--option …]`: arguments after the names go to the named benches. */
const given = process.argv.slice(2)
const firstOption = given.findIndex((one) => /^[-\d]/.test(one))
const names = firstOption < 0 ? given : given.slice(0, firstOption)
const options = firstOption < 0 ? [] : given.slice(firstOption)
const wanted = names.length > 0 ? names : [...always.keys()]

const unknown = wanted.filter((name) => !programs.has(name))
if (unknown.length > 0) {
  console.error(`there is no bench ${unknown.join(', ')}: ${[...programs.keys()].join(', ')}`)
  process.exit(2)
}

const signals = ['SIGINT', 'SIGTERM'] as const
for (const name of wanted) {
  const child = spawn(process.execPath, [join(import.meta.dirname, programs.get(name) ?? ''), ...options], { stdio: 'inherit' })
  const stop = (): void => {
    child.kill()
    wanted.length = 0
  }
  for (const signal of signals) process.once(signal, stop)
  const code = await new Promise<number>((resolve) => child.on('exit', (exit) => resolve(exit ?? 1)))
  for (const signal of signals) process.off(signal, stop)
  if (code !== 0) process.exitCode = code
}
