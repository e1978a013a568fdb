import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { MadeSpeech, SpeechArchive } from '#core/kernel/ports/assistant/speech-archive.ts'
import { readSoundFile, writeSoundFile } from './sound-file.ts'
import type { Log } from '#log/log-events.ts'

export interface SpeechFolderDeps {
  folder: string
  maxBytes: number
  clock: Pick<Clock, 'now'>
  log: Log
}

interface StoredFile {
  bytes: number
  usedAt: number
}

/** What was not said for this long is deleted. */
const maxUnusedMs = 30 * 24 * 3_600_000
/** Sounds that wait to be written; more are not kept. */
const maxQueued = 100
const soundName = /^[0-9a-f]{64}$/
const unfinished = '.part'

/**
 * Sound in a folder, one file each, named by a sum of what it depends on. The folder is for the service's user alone. Several processes may
 * share it.
 */
export class SpeechFolder implements SpeechArchive {
  readonly #deps: SpeechFolderDeps
  /** The longest unused is first. */
  readonly #files = new Map<string, StoredFile>()
  #bytes = 0
  #waiting = 0
  #told = false
  /** Ends when everything that was ordered is done, one after the other. */
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
      if (facts) found.push([name, { bytes: facts.size, usedAt: facts.mtimeMs }])
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

  /** Once is enough: everything is said all the same. */
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
