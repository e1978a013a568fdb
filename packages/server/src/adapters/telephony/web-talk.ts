import { webFrameSamples, webSampleRate } from '../../core/ports/web-line.ts'
import type { LineSettings, Media, MediaStream, Tap } from '../../media/engine.ts'
import { tieSettings } from '../../media/tie-line.ts'
import { Microphone } from './microphone.ts'
import type { Agreed, Answered, Talk } from './talk.ts'

export interface WebTalkOptions {
  media: Media
  /** The stream of the leg, once it is open. */
  near: () => MediaStream | undefined
  /** The next 20 ms of what the far end hears; undefined: it neither hears nor says anything. */
  hears: ((samples: Int16Array) => void) | undefined
}

/** Nothing is sent there, but what is played and fed takes its time all the same. */
const nowhere: LineSettings = { ...tieSettings, remote: { address: '0.0.0.0', port: 0 }, send: false, receive: false }

/**
 * The far end is not on the network but in this process: a second stream, tied to that of the leg. What it is fed the leg hears, and what
 * it hears goes on to whoever holds the connection. There is nothing to describe, so offers and answers are empty.
 */
export class WebTalk implements Talk {
  holding = false
  readonly broken: Promise<void>
  readonly #options: WebTalkOptions
  #break: () => void = () => {}
  #end: MediaStream | undefined
  #tap: Tap | undefined
  #microphone: Microphone | undefined
  #closed = false

  constructor(options: WebTalkOptions) {
    this.#options = options
    this.broken = new Promise((resolve) => {
      this.#break = resolve
    })
  }

  likes(): boolean {
    return true
  }

  offer(): string {
    return ''
  }

  async answer(_offer: string, port: number): Promise<Answered> {
    if (this.#options.hears) await this.#open(this.#options.hears, port)
    return { sdp: '', agreed: this.#agreed }
  }

  confirm(): Agreed {
    return this.#agreed
  }

  says(samples: Int16Array): void {
    if (!this.#closed) this.#microphone?.write(samples)
  }

  close(): void {
    this.#closed = true
    this.#tap?.close()
    void this.#end?.close()
  }

  async #open(hears: (samples: Int16Array) => void, port: number): Promise<void> {
    const { media, near } = this.#options
    const observer = { dtmf: () => {}, silent: () => {}, lost: () => this.#break() }
    const end = await media.openStream(observer, near())
    if (this.#closed) return end.close()
    end.configure({ ...tieSettings, remote: { address: media.address, port } })
    this.#end = end
    this.#microphone = new Microphone(end.feed(webSampleRate))
    this.#tap = end.tap(webSampleRate)
    void this.#pass(this.#tap, hears)
  }

  async #pass(tap: Tap, hears: (samples: Int16Array) => void): Promise<void> {
    const frame = new Int16Array(webFrameSamples)
    for (;;) {
      await tap.has(frame.length)
      if (this.#closed || tap.available < frame.length) return
      tap.read(frame)
      hears(frame)
    }
  }

  get #agreed(): Agreed {
    if (!this.#end) return { line: nowhere, heldByPeer: false }
    const remote = { address: this.#options.media.address, port: this.#end.localPort }
    return { line: { ...tieSettings, remote, receive: !this.holding }, heldByPeer: false }
  }
}
