import { AudioTerminal, T38Terminal, type FaxTerminal } from './fax-terminal.ts'
import type { FaxAudioSettings, FaxOutcome, FaxT38Settings } from './engine.ts'
import type { SpandspLibrary } from './spandsp.ts'
import type { FaxJob, T30Observer } from './t30.ts'
import { closeSync, openSync, readSync } from 'node:fs'

/** To a fax process. */
export type FaxCommand =
  | { do: 'open'; fax: number; address: string; port: number; calling: boolean }
  | { do: 'configure'; fax: number; settings: FaxSettings }
  | { do: 'start'; fax: number; job: FaxJob }
  | { do: 'close'; fax: number }
  | { do: 'watch' }

/** From a fax process. */
export type FaxEvent =
  | { tell: 'ready' }
  | { tell: 'unavailable'; why: string }
  /** `opened` is false when another program uses the port. */
  | { tell: 'opened'; fax: number; opened: boolean }
  | { tell: 'settled'; fax: number }
  /** `failure`: an internal error. */
  | { tell: 'closed'; fax: number; failure?: string }
  | { tell: 'page'; fax: number; pages: number }
  | { tell: 'done'; fax: number; outcome: FaxOutcome }
  | { tell: 'alive' }

export type FaxSettings = ({ kind: 'audio' } & FaxAudioSettings) | ({ kind: 't38' } & FaxT38Settings)

interface FaxRunObserver {
  settled(): void
  page(pages: number): void
  /** Called once. */
  done(outcome: FaxOutcome): void
}

interface FaxRunDeps {
  library: SpandspLibrary
  calling: boolean
  send: (bytes: Uint8Array) => void
  observer: FaxRunObserver
}

/** The last frame is still in transit after the end of T.30, also at the far end: 300 ms. */
const lastWordsFrames = 15
/** Two hours: a far end that takes longer does so on purpose. */
const maxFrames = 360_000
const framesPerSecond = 50
/**
 * Seconds. A receiver that lost its sender at the wrong moment would wait forever: progress is checked every second, and a minute without
 * any is too long.
 */
const maxStandstillLength = 60
/** Rows: eight metres in fine resolution. The library keeps a page in memory until it ends, and white rows cost a sender one bit each. */
const maxPageLength = 60_000

/** One fax: T.30 begins when both the job and the transport are known, and restarts when audio switches to T.38 or back. */
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
  /** A fax machine answered and the speed is negotiated. */
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

  /** False for unrelated packets. */
  receive(bytes: Uint8Array): boolean {
    return this.#terminal?.receive(bytes) ?? false
  }

  /** Advances by 20 ms. */
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

  /** The call was answered, but its SDP never gave an address. */
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

  /** Delivered pages cannot be taken back, so the transport stays the same from then on. */
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

  /** Events of a replaced terminal are ignored. */
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

  /**
   * The library confirms pages that it could not write. A sender cut off at the confirmation sends them again, when the disk has more room.
   */
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

const headerBytes = 8
const entryBytes = 12
const littleEndian = 0x4949

/** Number of complete pages in a TIFF, at most `max`: as far as its directories can be followed. 0 when it cannot be read. */
const countTiffPages = (file: string, max: number): number => {
  let pages = 0
  try {
    const descriptor = openSync(file, 'r')
    try {
      const read = (at: number, length: number): DataView => readAt(descriptor, at, length)
      const header = read(0, headerBytes)
      const little = header.getUint16(0) === littleEndian
      for (let at = header.getUint32(4, little); at !== 0 && pages < max; pages++) {
        const end = at + 2 + entryBytes * read(at, 2).getUint16(0, little)
        at = read(end, 4).getUint32(0, little)
      }
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return pages
  }
  return pages
}

/** Throws at the end of the file. */
const readAt = (descriptor: number, at: number, length: number): DataView => {
  const bytes = new Uint8Array(length)
  if (readSync(descriptor, bytes, 0, length, at) < length) throw new Error('the file ends here')
  return new DataView(bytes.buffer)
}
