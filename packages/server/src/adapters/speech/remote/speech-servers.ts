import type { Bus, Clock } from '#core/kernel/ports/platform.ts'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import { stoppableWait } from '#core/kernel/work/waiting.ts'
import type { Log } from '#log/log-events.ts'
import { Refusal } from '../providers/provider.ts'
import { aliveSubject, announceIntervalMs, silentAfterMs, type Announcement } from '../server/protocol.ts'
import { SpeechServer, type ServerAddress, type ThirdPartyModels } from './speech-server.ts'

interface ServersDeps {
  clock: Clock
  log: Log
  bus: Bus
  /** From the settings. */
  addresses: readonly ServerAddress[]
  models: ThirdPartyModels
  /** No server answered: whatever is to replace them may get ready. */
  onAway?: () => void
}

interface Known {
  server: SpeechServer
  /** `elapsed` of the last announcement; undefined: named in the settings. */
  heardAt: number | undefined
}

type Work<T> = (server: SpeechServer, signal: AbortSignal) => Promise<T>

/** A request that takes longer is sent to another server, too; the first answer counts. */
const secondAskMs = 1_500
/** A server of the settings may have been replaced by another kind. */
const probeIntervalMs = 10_000

/** Speech services: those of the settings, and those that announce themselves on the bus. */
export class SpeechServers {
  readonly #deps: ServersDeps
  readonly #known = new Map<string, Known>()
  /** Gone from the list; some still answer their last requests. */
  readonly #closing = new Map<SpeechServer, Promise<void>>()
  #cancelTimers: (() => void)[] = []
  #away = false
  #closed = false

  constructor(deps: ServersDeps) {
    this.#deps = deps
    for (const address of deps.addresses) this.#known.set(address.url, { server: new SpeechServer(address, deps), heardAt: undefined })
    const unsubscribe = deps.bus.hear(aliveSubject, (body) => this.#heard(body as Announcement))
    this.#cancelTimers = [unsubscribe, this.#every(announceIntervalMs, () => this.#removeSilent())]
    if (deps.addresses.length > 0) this.#cancelTimers.push(this.#every(probeIntervalMs, () => this.#probe()))
    this.#probe()
  }

  /** Usable servers, the least loaded first. */
  for(work: 'hearing' | 'speaking'): SpeechServer[] {
    const servers = [...this.#known.values()].map(({ server }) => server)
    return servers.filter((server) => !server.restsFrom(work)).toSorted((a, b) => a.load - b.load)
  }

  /** Result of the first server that answers. Throws SpeechUnavailable when none does. `hurry`: a caller waits. */
  async ask<T>(work: Work<T>, signal: AbortSignal, hurry: boolean): Promise<T> {
    signal.throwIfAborted()
    const stop = new AbortController()
    const wanted = AbortSignal.any([signal, stop.signal])
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const asked = new Set<SpeechServer>()
    let [running, cancelTimer] = [0, (): void => {}]
    const askOne = (server: SpeechServer): void => {
      asked.add(server)
      running++
      if (hurry) cancelTimer = this.#deps.clock.after(secondAskMs, askIdle)
      work(server, wanted).then(resolve, (error: unknown) => {
        running--
        if (!wanted.aborted) askNext(error)
      })
    }
    const others = (): SpeechServer[] => this.for('hearing').filter((one) => !asked.has(one))
    const askNext = (failure: unknown): void => {
      cancelTimer()
      const [server] = others()
      if (server) askOne(server)
      else if (running === 0) reject(failure)
    }
    // Under load a second request would only make it worse.
    const askIdle = (): void =>
      others()
        .filter(({ load }) => load < 1)
        .slice(0, 1)
        .forEach(askOne)
    askNext(noServer())
    try {
      const result = await stoppableWait(promise, signal)
      this.answered()
      return result
    } catch (error) {
      if (!signal.aborted) this.failed(error)
      throw error
    } finally {
      cancelTimer()
      stop.abort(new Error('another server has answered'))
    }
  }

  answered(): void {
    if (!this.#away) return
    this.#away = false
    this.#deps.log('speech_service_back')
  }

  /** No server could do it. One that rejects a request, perhaps because of its language, is there. */
  failed(error: unknown): void {
    if (this.#away || this.#closed || error instanceof Refusal) return
    this.#away = true
    this.#deps.log('speech_service_away', { why: error instanceof Error ? error.message : 'unknown' })
    this.#deps.onAway?.()
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const cancel of this.#cancelTimers) cancel()
    for (const id of this.#known.keys()) this.#remove(id)
    for (const server of this.#closing.keys()) void server.close()
    await Promise.all(this.#closing.values())
  }

  #heard(announcement: Announcement): void {
    if (this.#closed || !isAnnouncement(announcement)) return
    const { id, url, key, certificate, workers, running, leaving } = announcement
    if (leaving) return this.#remove(id, 'finishes')
    if (this.#known.get(id)?.server.address.certificate !== certificate) this.#remove(id, 'finishes')
    const known = this.#known.get(id)
    const server = known?.server ?? new SpeechServer({ url, key, certificate, ours: true }, this.#deps)
    server.workers = workers
    server.running = running
    this.#known.set(id, { server, heardAt: this.#deps.clock.elapsed() })
    if (!known) this.#logChange()
  }

  /** Without the bus nobody is heard, but requests are answered. */
  #removeSilent(): void {
    const { bus, clock } = this.#deps
    const now = clock.elapsed()
    for (const [id, known] of this.#known) {
      if (known.heardAt === undefined) continue
      if (!bus.connected) known.heardAt = now
      else if (known.heardAt < now - silentAfterMs) this.#remove(id)
    }
  }

  #remove(id: string, how: 'at once' | 'finishes' = 'at once'): void {
    const { server } = this.#known.get(id) ?? {}
    if (!server) return
    this.#known.delete(id)
    if (!this.#closed) this.#logChange()
    const closed = how === 'finishes' ? server.finish() : server.close()
    const closing = closed.finally(() => this.#closing.delete(server))
    this.#closing.set(server, closing)
  }

  #logChange(): void {
    this.#deps.log('speech_servers_changed', { servers: this.#known.size })
  }

  #probe(): void {
    for (const { server, heardAt } of this.#known.values()) if (heardAt === undefined) void server.probe().catch(() => {})
  }

  #every(ms: number, task: () => void): () => void {
    let cancel = (): void => {}
    const again = (): void => {
      cancel = this.#deps.clock.after(ms, () => {
        again()
        task()
      })
    }
    again()
    return () => cancel()
  }
}

export const noServer = (): SpeechUnavailable => new SpeechUnavailable('there is no speech service')

/** Another version may announce something else. */
const isAnnouncement = ({ id, url, key, workers, running }: Partial<Announcement>): boolean =>
  [id, url, key].every((text) => typeof text === 'string') &&
  [workers, running].every((count) => typeof count === 'number') &&
  (workers ?? 0) > 0
