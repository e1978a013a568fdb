import type { FaxAudioSettings, FaxT38Settings } from './engine.ts'
import { FaxRtp, frameSamples, type Modem } from './fax-rtp.ts'
import type { Handle, SpandspLibrary } from './spandsp.ts'
import { T30, type FaxJob, type T30Observer } from './t30.ts'
import { UdptlOrder, UdptlWriter } from './udptl.ts'

interface FaxTerminalOptions {
  library: SpandspLibrary
  calling: boolean
  job: FaxJob
  observer: T30Observer
  send: (bytes: Uint8Array) => void
}

/** T.30 over one transport: audio or T.38. */
export interface FaxTerminal {
  readonly kind: 'audio' | 't38'
  readonly t30: T30
  /** False for unrelated packets. */
  receive(bytes: Uint8Array): boolean
  /** Advances by 20 ms. */
  tick(): void
  /** Must not be called from within the library. */
  free(): void
}

const fastest = 14_400

export class AudioTerminal implements FaxTerminal, Modem {
  readonly kind = 'audio'
  readonly t30: T30
  readonly #library: SpandspLibrary
  readonly #fax: Handle
  readonly #rtp: FaxRtp

  constructor({ library, calling, job, observer, send }: FaxTerminalOptions, settings: FaxAudioSettings) {
    this.#library = library
    this.#fax = library.fax_init(null, calling ? 1 : 0)
    library.fax_set_transmit_on_idle(this.#fax, 1)
    this.t30 = new T30(library, library.fax_get_t30_state(this.#fax), job, fastest, observer)
    this.#rtp = new FaxRtp(send)
    this.#rtp.configure(settings)
  }

  configure(settings: FaxAudioSettings): void {
    this.#rtp.configure(settings)
  }

  receive(bytes: Uint8Array): boolean {
    return this.#rtp.receive(bytes)
  }

  tick(): void {
    this.#rtp.tick(this)
  }

  hear(samples: Int16Array): void {
    this.#library.fax_rx(this.#fax, samples, samples.length)
  }

  hearNothing(count: number): void {
    this.#library.fax_rx_fillin(this.#fax, count)
  }

  speak(samples: Int16Array): void {
    this.#library.fax_tx(this.#fax, samples, samples.length)
  }

  free(): void {
    this.#library.fax_free(this.#fax)
    this.t30.release()
  }
}

/** Earlier packets repeated in each packet: this many may be lost in a row. */
const redundancy = 3
const localTcf = 1
const transferredTcf = 2
/** A far end repeats its signal at least every five seconds; without this timeout the library would wait forever in the middle of it. */
const quietFrames = 250
/** T.38 message for no signal. */
const noSignal = Uint8Array.of(0)

export class T38Terminal implements FaxTerminal {
  readonly kind = 't38'
  readonly t30: T30
  readonly #library: SpandspLibrary
  readonly #terminal: Handle
  readonly #core: Handle
  readonly #order: UdptlOrder
  readonly #sendIfp: unknown
  /** There is no signal before the first message. */
  #framesSinceMessage = Infinity
  /** Sequence numbers for the library: those of the far end, and our substitutes. */
  #lastSequence = 0
  #saidInPlace = 0

  constructor({ library, calling, job, observer, send }: FaxTerminalOptions, settings: FaxT38Settings) {
    const { maxBitRate = fastest, maxDatagram, rateManagement, errorRecovery = 'redundancy' } = settings
    this.#library = library
    const writer = new UdptlWriter(errorRecovery === 'none' ? 0 : redundancy, maxDatagram)
    // The library requests repeats of important messages: the same packet is sent, so that its sequence number marks it as a repeat.
    this.#sendIfp = library.register(
      'SendIfp',
      (_core: unknown, _user: unknown, pointer: unknown, length: number, times: number): number => {
        const packet = writer.write(library.bytesAt(pointer, length))
        for (let i = 0; i < times; i++) send(packet)
        return 0
      },
    )
    this.#terminal = library.t38_terminal_init(null, calling ? 1 : 0, this.#sendIfp, null)
    this.#core = library.t38_terminal_get_t38_core_state(this.#terminal)
    library.t38_set_t38_version(this.#core, 0)
    library.t38_set_data_rate_management_method(this.#core, rateManagement === 'localTCF' ? localTcf : transferredTcf)
    this.t30 = new T30(library, library.t38_terminal_get_t30_state(this.#terminal), job, maxBitRate, observer)
    this.#order = new UdptlOrder((message, sequence) => this.#hear(message, sequence + this.#saidInPlace))
  }

  receive(bytes: Uint8Array): boolean {
    return this.#order.receive(bytes)
  }

  #hear(message: Uint8Array, sequence: number): void {
    this.#framesSinceMessage = 0
    this.#lastSequence = sequence & 0xffff
    this.#library.t38_core_rx_ifp_packet(this.#core, message, message.length, this.#lastSequence)
  }

  tick(): void {
    if (++this.#framesSinceMessage === quietFrames) {
      this.#saidInPlace++
      this.#library.t38_core_rx_ifp_packet(this.#core, noSignal, noSignal.length, (this.#lastSequence + 1) & 0xffff)
    }
    this.#library.t38_terminal_send_timeout(this.#terminal, frameSamples)
  }

  free(): void {
    this.#library.t38_terminal_free(this.#terminal)
    this.t30.release()
    this.#library.release(this.#sendIfp)
  }
}
