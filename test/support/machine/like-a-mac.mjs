/**
 * Preloaded (`node --import`), hides from the project's code what a Mac lacks: the name of the system, `/proc`, libraries that end with `.so`,
 * Poppler, loopback addresses except the first. Third-party packages see the real machine, because their native code is Linux's.
 * It is not a Mac: other differences stay untested.
 */
import dgram from 'node:dgram'
import fs from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const { platform } = process

/** Caller `depth` frames above this function. */
const asksFrom = (depth) => new Error().stack?.split('\n')[depth + 1] ?? ''

Object.defineProperty(process, 'platform', {
  configurable: true,
  get: () => (/node_modules|node:/.test(asksFrom(2)) ? platform : 'darwin'),
})

const failure = (code, call, what) => Object.assign(new Error(`${code}: ${call} '${what}'`), { code, syscall: call, path: what })

const isHidden = (path) => /^\/(proc|sys)(\/|$)|\/(pdfinfo|pdftoppm)$/.test(String(path))

/** Hides paths from all functions that take a path first, in each calling style. */
const hidePaths = (functions, refuse) => {
  for (const [name, real] of Object.entries(functions)) {
    if (typeof real !== 'function' || !/^[a-z]/.test(name)) continue
    functions[name] = Object.assign(function (path, ...rest) {
      const named = typeof path === 'string' || path instanceof URL
      return named && isHidden(path) ? refuse(name, path, rest) : real.call(this, path, ...rest)
    }, real)
  }
}

hidePaths(fs.promises, async (name, path) => {
  throw failure('ENOENT', name, path)
})
hidePaths(fs, (name, path, rest) => {
  if (name === 'existsSync') return false
  const done = rest.at(-1)
  if (typeof done !== 'function') throw failure('ENOENT', name, path)
  return process.nextTick(done, failure('ENOENT', name, path))
})

const onlyLoopback = (host) => typeof host === 'string' && /^127\.(?!0\.0\.1$)/.test(host)
for (const [owner, name] of [
  [dgram.Socket.prototype, 'bind'],
  [net.Server.prototype, 'listen'],
]) {
  const real = owner[name]
  owner[name] = function (...args) {
    const host = args.flatMap((arg) => (typeof arg === 'object' && arg !== null ? [arg.host, arg.address] : [arg])).find(onlyLoopback)
    if (host === undefined) return real.apply(this, args)
    process.nextTick(() => this.emit('error', failure('EADDRNOTAVAIL', 'bind', host)))
    return this
  }
}

const koffi = createRequire(import.meta.url)('koffi')
const { load } = koffi
koffi.load = (name, ...options) => {
  if (typeof name === 'string' && /\.so(\.|$)/.test(name)) throw new Error(`Failed to load shared library: dlopen(${name}): no such file`)
  return load(name, ...options)
}

syncBuiltinESMExports()
