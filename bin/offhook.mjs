#!/usr/bin/env node
// Plain JavaScript that any Node from 18 on can read: hands over to the Node 24 that npm installed with us.
import { existsSync, readFileSync, statSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
// A package runs what was built from the sources; a clone, too, as long as they are what they were then.
const sources = join(root, 'packages/server/src/cli.ts')
const inClone = existsSync(sources)
const built = join(root, inClone ? 'packages/server/bundle' : 'lib')
const main = inClone && !isFresh() ? sources : join(built, 'cli.js')
// Keeps what Node made of our code, so that only the first start pays for it. Where it cannot be written, every start does.
const compileCache = inClone ? join(root, 'node_modules/.cache/offhook') : join(userCache(), 'offhook', 'compiled')
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const heap = heapLimits()

if (process.platform === 'win32') {
  console.error('Offhook does not run on Windows itself. Install it inside of WSL (wsl --install), where it runs as on Linux.')
  process.exit(1)
}
if (major > 24 || (major === 24 && minor >= 10)) {
  // Node takes its limits only at its start: it is started once more, in the same process.
  if (heap.length > 0) startAgain()
  module.enableCompileCache(compileCache)
  await import(main)
} else {
  // Loaded where it is needed: a Node that is new enough starts without it.
  const { spawn } = await import('node:child_process')
  let child
  // The watchdog of a service that hangs in a system call ends it by SIGALRM (`adapters/machine/watchdog-thread.ts`).
  const start = (restarts) => {
    child = spawn(bundledNode(), [...heap, main, ...process.argv.slice(2)], {
      stdio: 'inherit',
      detached: true,
      env: { NODE_COMPILE_CACHE: compileCache, ...process.env, NODE_OF_CALLER: process.versions.node, STUCK_RESTARTS: restarts.join() },
    })
    child.on('error', ({ message }) => {
      console.error(`The Node that came with Offhook does not run here (${message}). Install Node 24.10 or newer.`)
      process.exit(1)
    })
    child.on('exit', (code, signal) => (signal === 'SIGALRM' ? start([...restarts, Date.now()]) : process.exit(signal ? 1 : (code ?? 1))))
  }
  // In a process group of its own the child gets each signal once, from us, and not from the terminal as well.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  start([])
}

/** As `cacheFolder` of `places.ts`, which an old Node cannot read. */
function userCache() {
  return process.env.XDG_CACHE_HOME || join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache')
}

/** Whether the program of a clone (`release/build/in-clone.ts`) was made from the very files that are here. */
function isFresh() {
  try {
    return JSON.parse(readFileSync(join(built, 'made-from.json'), 'utf8')).every(([file, changed, bytes]) => {
      // Two thousand times: `join` would take as long as the looks themselves.
      const { mtimeMs, size } = statSync(`${root}/${file}`)
      return mtimeMs === changed && size === bytes
    })
  } catch {
    return false
  }
}

/** For what runs the service, and for `build`, since Node compiles anew for other options. Whoever gives Node a limit of its own has decided already. */
function heapLimits() {
  const megabytes = process.env.OFFHOOK_HEAP_MB || heapInFile() || '256'
  const runsService = ['serve', 'dev', 'build', 'speech'].includes(command() ?? 'serve')
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((option) => option.includes('--max-old-space-size'))
  if (!runsService || given || !/^[1-9]\d{0,8}$/.test(megabytes)) return []
  return [`--max-old-space-size=${megabytes}`, '--max-semi-space-size=16', '--expose-gc']
}

/** Options of the whole program may stand before it. */
function command() {
  const [, , first, second, third] = process.argv
  return first === '--config' ? third : first?.startsWith('--config=') ? second : first
}

/** The settings are read later, and complain about what is wrong; this one is needed now. */
function heapInFile() {
  const { argv } = process
  const named = argv.find((word) => word.startsWith('--config='))?.slice('--config='.length)
  const file = named ?? (argv.includes('--config') ? argv[argv.indexOf('--config') + 1] : process.env.OFFHOOK_CONFIG)
  try {
    return file && /^\s*(?:export\s+)?OFFHOOK_HEAP_MB\s*=\s*["'`]?(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

function startAgain() {
  const args = [process.execPath, ...process.execArgv, ...heap, main, ...process.argv.slice(2)]
  process.execve(process.execPath, args, { NODE_COMPILE_CACHE: compileCache, ...process.env })
}

function bundledNode() {
  const machine = `${process.platform}-${process.arch}`
  try {
    // npm's usual name for this one belongs to a package that ends with Node 18.
    const name = machine === 'darwin-arm64' ? `node-bin-${machine}` : `node-${machine}`
    return createRequire(import.meta.url).resolve(`${name}/bin/node`)
  } catch {
    console.error(
      `Offhook needs Node 24.10 or newer; this is ${process.versions.node}, and no bundled Node fits ${machine}. Get one from https://nodejs.org or your package manager.`,
    )
    return process.exit(1)
  }
}
