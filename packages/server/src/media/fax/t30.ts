import type { FaxReceiveJob, FaxSendJob } from './engine.ts'
import type { Handle, SpandspLibrary, TransferStatistics } from './spandsp.ts'

export type FaxJob = ({ kind: 'send' } & FaxSendJob) | ({ kind: 'receive' } & FaxReceiveJob)

export interface T30Observer {
  /** The first page comes next: the session can no longer be renegotiated. */
  settled(): void
  page(pages: number): void
  /** Called once. The last frame may still be in transit. */
  ended(code: number): void
}

// T30_SUPPORT_… bits of the library.
const v27ter = 1
const v29 = 2
const v17 = 4
const mhMrMmr = 2 | 4 | 8
const standardFineSuperfine = 1 | 2 | 4 | 0x20000
const a4WidthAnyLength = 1 | 0x10000 | 0x20000 | 0x80000 | 0x100000
// Frame types (T.30 §5.3.6.1) without the first bit, which only marks the sending side.
const confirmationToReceive = 0x84
const typeMask = 0xfe
const maxStationIdLength = 20
/** No sender sends more in one call; an endless call must not fill the disk. */
const maxPages = 1000
/** Error code of the library: the call ended before T.30 did. */
export const callDropped = 49

const modemsFor = (bitRate: number): number => {
  if (bitRate < 7200) return v27ter
  return bitRate < 12_000 ? v27ter | v29 : v27ter | v29 | v17
}

/** T.30 over any transport. */
export class T30 {
  readonly #library: SpandspLibrary
  readonly #t30: Handle
  readonly #job: FaxJob
  readonly #observer: T30Observer
  readonly #registered: unknown[] = []
  #pages = 0
  #framesSeen = 0
  #ended = false

  constructor(library: SpandspLibrary, t30: Handle, job: FaxJob, maxBitRate: number, observer: T30Observer) {
    this.#library = library
    this.#t30 = t30
    this.#job = job
    this.#observer = observer
    library.t30_set_supported_modems(t30, modemsFor(maxBitRate))
    library.t30_set_supported_compressions(t30, mhMrMmr)
    library.t30_set_supported_resolutions(t30, standardFineSuperfine)
    library.t30_set_supported_image_sizes(t30, a4WidthAnyLength)
    library.t30_set_ecm_capability(t30, 1)
    library.t30_set_tx_ident(t30, job.station.slice(0, maxStationIdLength))
    this.#listen()
    this.#load()
  }

  #load(): void {
    const library = this.#library
    const job = this.#job
    if (job.kind === 'receive') return library.t30_set_rx_file(this.#t30, job.file, maxPages - 1)
    if (job.header !== '') library.t30_set_tx_page_header_info(this.#t30, headerText(job.header))
    library.t30_set_tx_file(this.#t30, job.file, job.firstPage, -1)
  }

  #listen(): void {
    const library = this.#library
    const register = (kind: Parameters<SpandspLibrary['register']>[0], called: (...args: never[]) => number | void): unknown => {
      const registered = library.register(kind, called)
      this.#registered.push(registered)
      return registered
    }
    const page = (): number => this.#notified(() => this.#countPages())
    const ended = (_t30: unknown, _user: unknown, code: number): void => void this.#notified(() => this.#end(code))
    const frame = (_t30: unknown, _user: unknown, _incoming: number, bytes: unknown, length: number): void =>
      void this.#notified(() => this.#seen(library.bytesAt(bytes, Math.min(length, 3))))
    library.t30_set_phase_d_handler(this.#t30, register('PhaseD', page), null)
    library.t30_set_phase_e_handler(this.#t30, register('PhaseE', ended), null)
    library.t30_set_real_time_frame_handler(this.#t30, register('FrameSeen', frame), null)
  }

  /** Called from within the library, which must not be left by an exception. */
  #notified(work: () => void): number {
    try {
      work()
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
    return 0
  }

  #seen(frame: Uint8Array): void {
    this.#framesSeen++
    if (((frame[2] ?? 0) & typeMask) === confirmationToReceive) this.#observer.settled()
  }

  #end(code: number): void {
    if (this.#ended) return
    this.#countPages()
    this.#ended = true
    this.#observer.ended(code)
  }

  #countPages(): void {
    const { pages } = this.figures()
    if (pages <= this.#pages) return
    this.#pages = pages
    this.#observer.page(pages)
  }

  /** `mark` changes while there is progress; `rows` are those of the current page. */
  progress(): { mark: string; rows: number } {
    const { pages_rx, length: rows, image_size } = this.#statistics()
    return { mark: [this.#framesSeen, pages_rx, rows, image_size].join(), rows }
  }

  #statistics(): TransferStatistics {
    const found = {} as TransferStatistics
    this.#library.t30_get_transfer_statistics(this.#t30, found)
    return found
  }

  figures(): { pages: number; bitRate: number; errorCorrection: boolean; station: string } {
    const found = this.#statistics()
    return {
      pages: this.#job.kind === 'send' ? found.pages_tx : found.pages_rx,
      bitRate: found.bit_rate,
      errorCorrection: found.error_correcting_mode !== 0,
      station: (this.#library.t30_get_rx_ident(this.#t30) ?? '').replaceAll(/[^ -~]/g, '').trim(),
    }
  }

  /** The transport has ended: writes the received pages. */
  terminate(): void {
    this.#library.t30_terminate(this.#t30)
    this.#end(callDropped)
  }

  /** Called after the surrounding machine is freed. */
  release(): void {
    for (const registered of this.#registered) this.#library.release(registered)
  }
}

/** Upper half of code page 437, the character set of the library's font. */
const upperHalf =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'
const maxLength = 50

/** Header line of a page in the library's encoding. Missing letters lose their accents or become question marks. */
export const headerText = (text: string): Buffer => {
  const bytes = Array.from(text.normalize('NFC'))
    .slice(0, maxLength)
    .map((letter) => byteOf(letter) ?? byteOf(plain(letter)) ?? 0x3f)
  return Buffer.from([...bytes, 0])
}

const byteOf = (letter: string): number | undefined => {
  const code = letter.codePointAt(0) ?? 0
  if (code >= 0x20 && code < 0x7f) return code
  const at = upperHalf.indexOf(letter)
  return at < 0 ? undefined : 0x80 + at
}

const plain = (letter: string): string => letter.normalize('NFD').charAt(0)
