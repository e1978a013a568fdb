import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Clock } from '#core/kernel/ports/platform.ts'

type Kind = 'cert' | 'key' | 'ca'
type Pem<K extends Kind> = Record<K, string>

export interface PemWatchOptions<K extends Kind> {
  clock: Clock
  /** Certificate, its key, authorities: the given files belong together. */
  files: Readonly<Record<K, string>>
  onRenewed: (notAfter: number | undefined) => void
  /** The files changed, but do not match or cannot be read. Called once per reason. */
  onUnfit: (error: Error) => void
  /** Called 21, 7 and 1 days before the expiry, and then daily. `days` is negative after it. */
  onExpiring: (days: number, notAfter: number) => void
}

const dayMs = 86_400_000
const warnAtDays = [1, 7, 21]

/** Renewals replace files or links, one after the other. Polling reads and compares both: it misses no way of replacing. */
const pollIntervalMs = 30_000

/** PEM files that are reread when they change. Files that do not match are ignored: the last matching ones stay in use. */
export class PemWatch<K extends Kind> {
  readonly #options: PemWatchOptions<K>
  readonly #users: ((pem: Pem<K>) => void)[] = []
  #pem: Pem<K>
  #unfit = ''
  #warnedAt = Infinity
  #looking: Promise<void> = Promise.resolve()
  #stop: () => void = () => {}

  private constructor(options: PemWatchOptions<K>, pem: Pem<K>) {
    this.#options = options
    this.#pem = pem
  }

  /** Throws when the files cannot be used. */
  static async open<K extends Kind>(options: PemWatchOptions<K>): Promise<PemWatch<K>> {
    const watch = new PemWatch(options, await readPem(options.files))
    watch.#warn()
    watch.#schedulePoll()
    return watch
  }

  get pem(): Readonly<Pem<K>> {
    return this.#pem
  }

  /** Expiry of the certificate; undefined without one. */
  get notAfter(): number | undefined {
    const { cert } = this.#pem as Partial<Pem<'cert'>>
    return cert === undefined ? undefined : new X509Certificate(cert).validToDate.getTime()
  }

  onRenewed(use: (pem: Pem<K>) => void): void {
    this.#users.push(use)
  }

  /** Polls immediately. */
  look(): Promise<void> {
    return (this.#looking = this.#looking.then(() => this.#poll()))
  }

  async close(): Promise<void> {
    this.#stop()
    this.#stop = () => {}
    await this.#looking
  }

  #schedulePoll(): void {
    const stop = this.#options.clock.after(pollIntervalMs, () => {
      void this.look()
      this.#warn()
      this.#schedulePoll()
    })
    this.#stop = stop
  }

  async #poll(): Promise<void> {
    try {
      const pem = await readPem(this.#options.files)
      this.#unfit = ''
      if (Object.keys(pem).every((kind) => pem[kind as K] === this.#pem[kind as K])) return
      this.#use(pem)
    } catch (error) {
      const { message } = error as Error
      if (message !== this.#unfit) this.#options.onUnfit(error as Error)
      this.#unfit = message
    }
  }

  #use(pem: Pem<K>): void {
    this.#pem = pem
    this.#warnedAt = Infinity
    for (const use of this.#users) use(pem)
    this.#options.onRenewed(this.notAfter)
    this.#warn()
  }

  #warn(): void {
    const { notAfter } = this
    if (notAfter === undefined) return
    const days = Math.floor((notAfter - this.#options.clock.now()) / dayMs)
    const step = days < 1 ? days : (warnAtDays.find((each) => days <= each) ?? Infinity)
    if (step >= this.#warnedAt) return
    this.#warnedAt = step
    this.#options.onExpiring(days, notAfter)
  }
}

/** By the rules of OpenSSL: a key that matches the certificate, without truncation. */
const readPem = async <K extends Kind>(files: Readonly<Record<K, string>>): Promise<Pem<K>> => {
  const kinds = Object.keys(files) as K[]
  const read = await Promise.all(kinds.map(async (kind) => [kind, await readFile(files[kind], 'utf8')] as const))
  const pem = Object.fromEntries(read) as Pem<K>
  createSecureContext(pem)
  return pem
}
