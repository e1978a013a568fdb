import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { MadeSpeech, SpeechArchive } from '#core/kernel/ports/assistant.ts'
import type { Log } from '#log/log-events.ts'

interface SpeechFolderDeps {
  folder: string
  maxBytes: number
  clock: Pick<Clock, 'now'>
  log: Log
  /** Time of the last erasure of a person: older sound may be about that person. */
  madeSince?: number | undefined
}

interface StoredFile {
  bytes: number
  usedAt: number
}

/** Unused sound is deleted after this time. */
const maxUnusedMs = 30 * 24 * 3_600_000
/** Maximum number of sounds that wait to be written; more are not stored. */
const maxQueued = 100
const soundName = /^[0-9a-f]{64}$/
const unfinished = '.part'

/**
 * Stores sound in a folder, one file each, named by a hash of its inputs. Only the service's user can read the folder. Several processes
 * may share it.
 */
export class SpeechFolder implements SpeechArchive {
  readonly #deps: SpeechFolderDeps
  /** Least recently used first. */
  readonly #files = new Map<string, StoredFile>()
  #bytes = 0
  #waiting = 0
  #told = false
  /** Resolves when all queued operations are done; they run one after the other. */
  #work: Promise<void>

  constructor(deps: SpeechFolderDeps) {
    this.#deps = deps
    this.#work = this.#poll().catch((error: unknown) => this.#unusable(error))
  }

  find(key: string): Promise<MadeSpeech | undefined> | undefined {
    const name = nameOf(key)
    return this.#files.has(name) ? this.#read(name) : undefined
  }

  keep(key: string, speech: MadeSpeech): void {
    const name = nameOf(key)
    if (this.#files.has(name) || this.#waiting >= maxQueued) return
    this.#waiting++
    this.#order(async () => {
      this.#waiting--
      await this.#write(name, writeSoundFile(speech))
      await this.#shrink()
    })
  }

  /** Includes files that other processes wrote. */
  async clear(): Promise<void> {
    this.#order(async () => {
      const names = await readdir(this.#deps.folder).catch(emptyIfMissing)
      for (const name of names.filter((one) => soundName.test(one))) await this.#delete(name)
    })
    await this.#work
  }

  async close(): Promise<void> {
    await this.#work
  }

  #order(task: () => Promise<void>): void {
    this.#work = this.#work.then(task).catch((error: unknown) => this.#unusable(error))
  }

  async #poll(): Promise<void> {
    const names = await readdir(this.#deps.folder).catch(emptyIfMissing)
    const found: [string, StoredFile][] = []
    for (const name of names) {
      const file = join(this.#deps.folder, name)
      if (name.endsWith(unfinished)) await rm(file, { force: true })
      if (!soundName.test(name)) continue
      const facts = await stat(file).catch(() => undefined) // another process may have deleted it
      if (facts && facts.mtimeMs < (this.#deps.madeSince ?? 0)) await rm(file, { force: true })
      else if (facts) found.push([name, { bytes: facts.size, usedAt: facts.mtimeMs }])
    }
    for (const [name, kept] of found.toSorted(([, one], [, other]) => one.usedAt - other.usedAt)) this.#add(name, kept)
    await this.#shrink()
  }

  async #read(name: string): Promise<MadeSpeech | undefined> {
    const file = join(this.#deps.folder, name)
    const speech = await readFile(file).then(readSoundFile, () => undefined)
    if (!speech) {
      this.#order(() => this.#delete(name))
      return undefined
    }
    const now = this.#deps.clock.now()
    this.#add(name, { bytes: this.#files.get(name)?.bytes ?? 0, usedAt: now })
    this.#order(() => utimes(file, now / 1000, now / 1000).catch(() => {}))
    return speech
  }

  async #write(name: string, content: Buffer): Promise<void> {
    if (this.#files.has(name)) return
    const { folder, clock } = this.#deps
    const file = join(folder, name)
    const part = `${file}.${randomBytes(4).toString('hex')}${unfinished}`
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const now = clock.now()
    await writeFile(part, content, { mode: 0o600 })
    await utimes(part, now / 1000, now / 1000)
    await rename(part, file)
    this.#add(name, { bytes: content.length, usedAt: now })
  }

  async #shrink(): Promise<void> {
    const oldest = this.#deps.clock.now() - maxUnusedMs
    for (const [name, { usedAt }] of this.#files) {
      if (this.#bytes <= this.#deps.maxBytes && usedAt >= oldest) return
      await this.#delete(name)
    }
  }

  async #delete(name: string): Promise<void> {
    this.#forget(name)
    await rm(join(this.#deps.folder, name), { force: true })
  }

  #add(name: string, kept: StoredFile): void {
    this.#forget(name)
    this.#files.set(name, kept)
    this.#bytes += kept.bytes
  }

  #forget(name: string): void {
    this.#bytes -= this.#files.get(name)?.bytes ?? 0
    this.#files.delete(name)
  }

  /** Logged once: speech works without the cache. */
  #unusable(error: unknown): void {
    if (!this.#told) this.#deps.log('speech_cache_unusable', { err: error as Error, folder: this.#deps.folder })
    this.#told = true
  }
}

const nameOf = (key: string): string => createHash('sha256').update(key).digest('hex')

const emptyIfMissing = (error: NodeJS.ErrnoException): string[] => {
  if (error.code === 'ENOENT') return []
  throw error
}

/** Format name and version. */
const magic = Buffer.from('OHS1')
const rateAt = magic.length
const sumAt = rateAt + 4
const sumBytes = 16
const headerBytes = sumAt + sumBytes

/** Header, then 16 bit little-endian samples. */
const writeSoundFile = ({ rate, samples }: MadeSpeech): Buffer => {
  const file = Buffer.alloc(headerBytes + samples.byteLength)
  magic.copy(file)
  file.writeUInt32LE(rate, rateAt)
  Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).copy(file, headerBytes)
  sumOf(file).copy(file, sumAt)
  return file
}

/** Undefined if the file is damaged or has another format. */
const readSoundFile = (file: Buffer): MadeSpeech | undefined => {
  if (file.length < headerBytes || !file.subarray(0, rateAt).equals(magic)) return undefined
  if (!sumOf(file).equals(file.subarray(sumAt, headerBytes))) return undefined
  const rate = file.readUInt32LE(rateAt)
  if ((rate !== 8000 && rate !== 16_000) || (file.length - headerBytes) % 2 !== 0) return undefined
  return { rate, samples: new Int16Array(Uint8Array.from(file.subarray(headerBytes)).buffer) }
}

/** Checksum of everything except the checksum itself. */
const sumOf = (file: Buffer): Buffer =>
  createHash('sha256').update(file.subarray(0, sumAt)).update(file.subarray(headerBytes)).digest().subarray(0, sumBytes)
