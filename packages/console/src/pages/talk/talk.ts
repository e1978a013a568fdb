import type { TalkFrame, TalkNews } from '@offhook/contract/v3/talks.ts'
import { api } from '#api/client.ts'
import { ownSocketAt } from '#phone/phone-socket.ts'
import { openCallSound, type CallSound } from '#phone/sound/pcm/call-sound.ts'
import { maxUnsentBytes } from '#phone/sound/sound-line.ts'
import { Levels } from './sound/levels.ts'
import type { MicrophoneProblem } from '#api/phone/calls.ts'
import { isSoundPossible, MicrophoneError, openMicrophone } from '#phone/sound/microphone.ts'
import { peakOf } from '#phone/sound/pcm/pcm.ts'

export type TalkState = 'idle' | 'connecting' | 'ringing' | 'answered' | 'ended'

/** State of a talk for the page. */
export interface TalkView {
  state: TalkState
  callId?: string
  answeredAt?: number
  endedAt?: number
  held: boolean
  muted: boolean
  /** The person can be heard. */
  hasMicrophone: boolean
  /** The person can hear. */
  hasSound: boolean
  /** Why the call failed, or ended without a reason from the service. */
  failure?: unknown
  microphoneProblem?: MicrophoneProblem
  /** The service's remark about a sent message. */
  remark?: string | undefined
  end?: { by: string; reason: string }
}

const nothing: TalkView = { state: 'idle', held: false, muted: false, hasMicrophone: false, hasSound: false }

/** From the button press to the end of the call. */
export const isBusy = ({ state }: TalkView): boolean => state !== 'idle' && state !== 'ended'

/** Milliseconds to wait for the service's `ended` after a hang-up. */
const farewellMs = 3_000

/** The connection broke before the service reported the end. */
export class LineLost extends Error {}

/** A call from this page to a flow. Reusable for consecutive calls. */
export class Talk {
  readonly levels = new Levels()
  #view = nothing
  #socket: WebSocket | undefined
  #sound: CallSound | undefined
  #attempt = 0
  readonly #listeners = new Set<() => void>()

  get view(): TalkView {
    return this.#view
  }

  readonly subscribe = (notify: () => void): (() => void) => {
    this.#listeners.add(notify)
    return () => this.#listeners.delete(notify)
  }

  /** `silently`: without a microphone; the person types. `draft`: to the draft assistant. */
  async call(aiFlowId: string, { silently, draft = false }: { silently: boolean; draft?: boolean }): Promise<void> {
    const attempt = ++this.#attempt
    this.#view = { ...nothing, state: 'connecting' }
    this.#notify()
    try {
      const microphone = silently ? undefined : await openMicrophone()
      const sound = await this.#openSound(microphone)
      if (attempt !== this.#attempt) return sound?.close()
      this.#sound = sound
      this.#change({ hasMicrophone: microphone !== undefined, hasSound: sound !== undefined })
      const { url } = await api.startTalk({ aiFlowId }, { audio: sound !== undefined, ...(draft && { draft }) })
      if (attempt === this.#attempt) this.#open(url)
    } catch (error) {
      if (attempt === this.#attempt) this.#fail(error)
    }
  }

  write(text: string): void {
    this.#send({ type: 'text', text })
  }

  press(digits: string): void {
    this.#send({ type: 'dtmf', digits })
  }

  mute(muted: boolean): void {
    this.#sound?.mute(muted)
    this.#change({ muted })
  }

  hangUp(): void {
    const socket = this.#socket
    if (socket?.readyState !== WebSocket.OPEN) return this.close()
    this.#send({ type: 'hangup' })
    setTimeout(() => {
      if (socket === this.#socket) this.close()
    }, farewellMs)
  }

  /** Closing the connection hangs up. */
  close(): void {
    this.#attempt += 1
    const socket = this.#socket
    this.#release()
    socket?.close()
    if (isBusy(this.#view)) this.#change({ state: 'ended', endedAt: Date.now() })
  }

  async #openSound(microphone: MediaStream | undefined): Promise<CallSound | undefined> {
    if (!isSoundPossible()) return undefined
    return openCallSound({
      microphone,
      onFrame: (frame) => this.#sendSound(frame),
      onMicrophoneLost: () => this.#change({ hasMicrophone: false, microphoneProblem: 'missing' }),
    })
  }

  #open(url: string): void {
    const socket = ownSocketAt(url)
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer | string>) => {
      if (socket !== this.#socket) return
      if (typeof data === 'string') this.#hear(JSON.parse(data) as TalkNews)
      else this.#play(data)
    })
    socket.addEventListener('close', () => {
      if (socket === this.#socket) this.#fail(new LineLost())
    })
    this.#socket = socket
  }

  #hear(news: TalkNews): void {
    if (news.type === 'ready') this.#change({ callId: news.callId })
    if (news.type === 'ringing') this.#change({ state: 'ringing' })
    if (news.type === 'answered') this.#change({ state: 'answered', answeredAt: Date.now() })
    if (news.type === 'held') this.#change({ held: news.value })
    if (news.type === 'problem') this.#change({ remark: news.message })
    if (news.type === 'ended') {
      this.#release()
      this.#change({ state: 'ended', endedAt: Date.now(), end: { by: news.by, reason: news.reason } })
    }
  }

  #play(frame: ArrayBuffer): void {
    this.levels.note('assistant', peakOf(frame))
    this.#sound?.play(frame)
  }

  #sendSound(frame: ArrayBuffer): void {
    const socket = this.#socket
    if (socket?.readyState !== WebSocket.OPEN || socket.bufferedAmount > maxUnsentBytes) return
    if (this.#view.hasMicrophone) this.levels.note('caller', peakOf(frame))
    socket.send(frame)
  }

  #send(frame: TalkFrame): void {
    this.#change({ remark: undefined })
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame))
  }

  #fail(error: unknown): void {
    this.#release()
    if (error instanceof MicrophoneError) this.#change({ state: 'idle', microphoneProblem: error.problem })
    else this.#change({ state: 'ended', endedAt: Date.now(), failure: error })
  }

  #release(): void {
    this.#sound?.close()
    this.#sound = undefined
    this.#socket = undefined
  }

  #change(part: Partial<TalkView>): void {
    this.#view = { ...this.#view, ...part }
    this.#notify()
  }

  #notify(): void {
    for (const notify of this.#listeners) notify()
  }
}
