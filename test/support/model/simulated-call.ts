import type { VirtualClock } from '../clock/virtual-clock.ts'

export type Frame = Record<string, unknown> & { type: string; turn: number }

interface Speech {
  id: string | undefined
  text: string
  ended: boolean
}

interface Connectable<Given> {
  connect(send: (frame: string) => void, given: Given): { receive(frame: string): void; close(): void }
}

export interface NoteFrame {
  name: string
  data: Record<string, unknown>
}

const stepMs = 50

/** A call without a service, sound or waiting: the caller speaks and hears by hand, and time is virtual. */
export class SimulatedCall<Given> {
  readonly frames: Frame[] = []
  /** What the caller has heard, speech by speech; what was cut off ends with an ellipsis. */
  readonly heard: string[] = []
  ended: string | undefined
  readonly #clock: VirtualClock
  readonly #connection: { receive(frame: string): void; close(): void }
  readonly #session: Record<string, string>
  #speeches: Speech[] = []
  #turn = 0
  #sequence = 0
  #firstSpeechMs: number | undefined
  #askedAt = 0

  constructor(bot: Connectable<Given>, given: Given, clock: VirtualClock, id = 'call-1') {
    this.#clock = clock
    this.#session = {
      id,
      account_id: '1234567',
      phone_number: '4930000000',
      from_phone_number: '491570000001',
      to_phone_number: '4930000000',
    }
    this.#connection = bot.connect((frame) => this.#take(frame), given)
  }

  /** Waiting to be heard, or sounding. */
  get waiting(): string[] {
    return this.#speeches.map(({ text }) => text.trim())
  }

  /** From the caller's words to the first words of the answer, in virtual time. */
  get firstSpeechMs(): number | undefined {
    return this.#firstSpeechMs
  }

  get turn(): number {
    return this.#turn
  }

  actions(type: string): Frame[] {
    return this.frames.filter((frame) => frame.type === type)
  }

  notes(name: string): Record<string, unknown>[] {
    return (this.actions('note') as unknown as NoteFrame[]).filter((note) => note.name === name).map(({ data }) => data)
  }

  tell(event: Record<string, unknown>): void {
    const sequence = ++this.#sequence
    this.#connection.receive(JSON.stringify({ session: this.#session, turn: this.#turn, sequence, event_id: `e${sequence}`, ...event }))
  }

  async start(): Promise<void> {
    this.tell({ type: 'session_start' })
    await this.#clock.advance(0)
  }

  /** Time passes until the answer is complete, or until something waits for the caller. */
  async answered(mostMs = 60_000): Promise<void> {
    const turn = this.#turn
    const isDone = (): boolean => this.frames.some((frame) => frame.type === 'done' && frame.turn === turn)
    await this.#clock.advance(0)
    for (let ms = 0; !isDone() && ms < mostMs; ms += stepMs) await this.#clock.advance(stepMs)
  }

  /** The caller listens to everything; what the assistant does upon that follows. */
  async listen(): Promise<void> {
    for (let speech = this.#speeches[0]; speech; speech = this.#speeches[0]) {
      this.#speeches.shift()
      this.#sounded(speech, undefined)
      await this.#clock.advance(0)
    }
    if (this.actions('hangup').some(({ turn }) => turn === this.#turn)) this.ended = 'assistant_hangup'
  }

  /** The caller speaks; `afterWords`: after so many words of what is waiting to be heard, which are the last that are. */
  async say(text: string, { afterWords, language }: { afterWords?: number; language?: string } = {}): Promise<void> {
    const cut = afterWords === undefined ? undefined : this.#interrupt(afterWords)
    this.#speeches = []
    this.#turn += 1
    this.#askedAt = this.#clock.elapsed()
    this.#firstSpeechMs = undefined
    this.tell({
      type: 'user_speak',
      text,
      barged_in: cut !== undefined,
      ...(cut !== undefined && { heard_text: cut }),
      ...(language && { language }),
    })
    await this.#clock.advance(0)
  }

  async press(digit: string): Promise<void> {
    this.tell({ type: 'dtmf_received', digit })
    await this.#clock.advance(0)
  }

  async end(reason = 'caller_hangup'): Promise<void> {
    this.ended ??= reason
    this.tell({ type: 'session_end', reason })
    await this.#clock.advance(0)
  }

  close(): void {
    this.#connection.close()
  }

  /** Gives what was heard of the speech that was cut; undefined: nothing was sounding. */
  #interrupt(afterWords: number): string | undefined {
    let left = afterWords
    for (const speech of this.#speeches) {
      const words = speech.text.trim().split(/\s+/)
      if (left >= words.length) {
        this.#sounded(speech, undefined)
        left -= words.length
        continue
      }
      if (left === 0) return undefined // it has not begun
      const heard = words.slice(0, left).join(' ')
      this.#sounded(speech, heard)
      return heard
    }
    return undefined
  }

  #sounded({ text, id }: Speech, heard: string | undefined): void {
    const words = text.trim()
    if (words === '') return
    this.heard.push(heard === undefined ? words.replace(/\s+/g, ' ') : `${heard}…`)
    const fields = { ...(id !== undefined && { stream_id: id }), ...(heard !== undefined && { heard_text: heard }) }
    this.tell({ type: 'assistant_speak', text: words, duration_ms: words.length * 60, speech_started_at: 0, ...fields })
    this.tell({ type: 'assistant_speech_ended', completed: heard === undefined, heard_ms: 0 })
  }

  #take(text: string): void {
    for (const frame of [JSON.parse(text) as Frame].flat()) {
      this.frames.push(frame)
      if (frame.type === 'barge_in') this.#speeches = []
      if (frame.type === 'speak' && frame.turn === this.#turn) this.#speak(frame)
    }
  }

  #speak({ stream_id, text, last }: Frame): void {
    this.#firstSpeechMs ??= this.#clock.elapsed() - this.#askedAt
    const id = stream_id as string | undefined
    const known = id === undefined ? undefined : this.#speeches.find((speech) => speech.id === id)
    if (known) {
      known.text += text as string
      known.ended = last !== false
    } else this.#speeches.push({ id, text: text as string, ended: last !== false })
  }
}
