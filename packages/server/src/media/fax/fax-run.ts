import { AudioTerminal, T38Terminal, type FaxTerminal } from './fax-terminal.ts'
import type { FaxAudioSettings, FaxOutcome, FaxT38Settings } from './engine.ts'
import type { SpandspLibrary } from './spandsp.ts'
import type { FaxJob, T30Observer } from './t30.ts'
import { countTiffPages } from './tiff-pages.ts'

export type FaxSettings = ({ kind: 'audio' } & FaxAudioSettings) | ({ kind: 't38' } & FaxT38Settings)

export interface FaxRunObserver {
  settled(): void
  page(pages: number): void
  /** Once. */
  done(outcome: FaxOutcome): void
}

export interface FaxRunDeps {
  library: SpandspLibrary
  calling: boolean
  send: (bytes: Uint8Array) => void
  observer: FaxRunObserver
}

/** After the end of T.30 its last frame is still under way, at the far end too: 300 ms. */
const lastWordsFrames = 15
/** Two hours: a far end that takes longer does it on purpose. */
const maxFrames = 360_000
const framesPerSecond = 50
/** A receiver that lost its sender at the wrong moment would wait for ever: it is looked at every second, and a minute without anything is too long. */
const maxStandstillLength = 60
/** Rows: eight metres in the fine resolution. The library keeps a page in memory until it ends, and white rows cost a sender one bit each. */
const maxPageLength = 60_000

/** One fax: T.30 begins when both the job and the transport are known, and anew when audio becomes T.38 or the other way round. */
export class FaxRun {
  readonly #deps: FaxRunDeps
  #settings: FaxSettings | undefined
  #job: FaxJob | undefined
  #terminal: FaxTerminal | undefined
  #pages = 0
  #frames = 0
  #progress = ''
  #standstill = 0
  #waited = 0
  #code: number | undefined
  #endedAt = Infinity
  #done = false
  /** A fax machine is there, and how fast it is was agreed on. */
  #settled = false
  /** A page of the far end is not on our disk. */
  #failed = false

  constructor(deps: FaxRunDeps) {
    this.#deps = deps
  }

  configure(settings: FaxSettings): void {
    this.#settings = settings
    if (settings.kind === 'audio' && this.#terminal instanceof AudioTerminal) this.#terminal.configure(settings)
    else this.#begin()
  }

  start(job: FaxJob): void {
    this.#job ??= job
    this.#begin()
  }

  /** False for what does not belong here. */
  receive(bytes: Uint8Array): boolean {
    return this.#terminal?.receive(bytes) ?? false
  }

  /** 20 ms have passed. */
  tick(): void {
    const carrier = this.#terminal
    if (!carrier) return this.#wait()
    carrier.tick()
    this.#frames++
    if (this.#failed) carrier.t30.terminate()
    if (this.#frames % framesPerSecond === 0 && this.#job?.kind === 'receive') this.#poll(carrier)
    if (this.#frames === maxFrames) carrier.t30.terminate()
    if (this.#frames >= this.#endedAt + lastWordsFrames) this.#finish()
  }

  /** The call was answered, but its SDP never said where to send. */
  #wait(): void {
    if (this.#job && ++this.#waited === maxStandstillLength * framesPerSecond) this.#finish()
  }

  #poll({ t30 }: FaxTerminal): void {
    const { mark, rows } = t30.progress()
    this.#standstill = mark === this.#progress ? this.#standstill + 1 : 0
    this.#progress = mark
    if (this.#standstill === maxStandstillLength || rows > maxPageLength) t30.terminate()
  }

  close(): void {
    this.#terminal?.t30.terminate()
    this.#finish()
    this.#terminal?.free()
    this.#terminal = undefined
    this.#job = undefined
  }

  /** Pages that have arrived cannot be taken back, so from then on the transport stays what it is. */
  #begin(): void {
    const settings = this.#settings
    const job = this.#job
    if (!settings || !job || this.#done || this.#terminal?.kind === settings.kind || this.#pages > 0) return
    const before = this.#terminal
    const { library, calling, send } = this.#deps
    const parts = { library, calling, job, send, observer: this.#observer(settings.kind) }
    this.#terminal = undefined
    before?.free()
    this.#endedAt = Infinity
    this.#terminal = settings.kind === 'audio' ? new AudioTerminal(parts, settings) : new T38Terminal(parts, settings)
  }

  /** What a terminal that was replaced still tells does not count. */
  #observer(kind: FaxTerminal['kind']): T30Observer {
    const { observer } = this.#deps
    const isPresent = (): boolean => this.#terminal?.kind === kind && !this.#done
    return {
      settled: () => {
        if (!isPresent()) return
        this.#settled = true
        observer.settled()
      },
      page: (pages) => isPresent() && this.#paged(pages),
      ended: (code) => {
        if (!isPresent()) return
        this.#code = this.#failed ? undefined : code
        this.#endedAt = this.#frames
      },
    }
  }

  #paged(pages: number): void {
    this.#failed ||= !this.#keeps(pages)
    if (this.#failed) return
    this.#pages = pages
    this.#deps.observer.page(pages)
  }

  /** The library confirms pages that it could not write. A sender that is cut off in the confirmation sends them again, to a disk with more room. */
  #keeps(pages: number): boolean {
    const job = this.#job
    return job?.kind !== 'receive' || countTiffPages(job.file, pages) === pages
  }

  #finish(): void {
    if (this.#done) return
    this.#done = true
    const { bitRate, errorCorrection, station } = this.#terminal?.t30.figures() ?? { bitRate: 0, errorCorrection: false, station: '' }
    const carriedBy = this.#terminal?.kind ?? this.#settings?.kind ?? 'audio'
    const pages = this.#pages
    this.#deps.observer.done({ code: this.#code, pages, bitRate: this.#settled ? bitRate : 0, errorCorrection, carriedBy, station })
  }
}
