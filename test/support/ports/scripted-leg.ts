import { randomUUID } from 'node:crypto'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type {
  Announcement,
  LegQuality,
  LegSound,
  Playback,
  Recording,
  RecordingFile,
  Sound,
  SoundFeed,
  SoundState,
} from '#core/kernel/ports/audio.ts'
import type {
  Audio,
  Cause,
  Dial,
  DialTarget,
  Leg,
  LegEnd,
  LegObserver,
  SavedDialog,
  TransferAsked,
  FaxLeg,
} from '#core/kernel/ports/telephony.ts'
import { SampleRing } from '#media/thread/sample-ring.ts'
import type { Outside } from '../chance/outside.ts'
import { ScriptedAnnouncements } from './scripted-announcements.ts'
import { ScriptedFaxLeg } from './scripted-fax-leg.ts'
import { ScriptedFeed } from './scripted-feed.ts'

/** Milliseconds of every sound. */
export const soundMs = 2_000

/** 20 ms at 8 kHz of each side. */
const blockSamples = 160
const legSoundSamples = 4 * 2 * 8000

/** Bridge functions for tests. */
export interface LegsBridge {
  readonly legs: readonly ScriptedLeg[]
  readonly log: readonly string[]
  /** Legs in the left channel of each recording, by recording id. */
  readonly left: ReadonlyMap<string, readonly Leg[]>
  /** Simulates a full disk. */
  cannotRecord: boolean
  drop(leg: ScriptedLeg): void
}

/** Remote phone of a leg that follows the test's script. */
export class ScriptedLeg implements Leg, Audio {
  readonly id: string
  readonly ended: Promise<LegEnd>
  readonly target: DialTarget | undefined
  readonly dial: Dial | undefined
  /** Requests to it, in order. */
  readonly log: string[] = []
  /** Call quality, if the test sets it before the end. */
  quality: Promise<LegQuality | undefined> | undefined
  answered = false
  heldByPeer = false
  muted = false
  inputMuted = false
  ducked = false
  over: LegEnd | undefined
  bridge: LegsBridge | undefined
  /** Sounds played to it instead of other legs. */
  readonly playing: { sound: Sound; loop: boolean; end: (completed: boolean) => void }[] = []
  /** Streamed sounds played to it, in order. */
  readonly feeds: ScriptedFeed[] = []
  /** Background sound. */
  under: { wav: Uint8Array; volume: number } | undefined
  /** Listeners to its sound and to the sound sent to it. */
  readonly listening = new Set<SampleRing>()
  readonly recordings: string[] = []
  /** Set once a fax machine is at the service's end. */
  fax: ScriptedFaxLeg | undefined
  readonly #clock: Clock
  readonly #outside: Outside
  readonly #observers = new Set<LegObserver>()
  /** Playback before the next feed. */
  #playsBefore: Promise<unknown> = Promise.resolve()
  readonly #announcements: ScriptedAnnouncements
  readonly #end: (end: LegEnd) => void

  constructor(clock: Clock, outside: Outside, call?: { target: DialTarget; dial: Dial }, id: string = randomUUID()) {
    this.id = id
    this.#clock = clock
    this.#announcements = new ScriptedAnnouncements(clock, soundMs)
    this.#outside = outside
    this.target = call?.target
    this.dial = call?.dial
    const { promise, resolve } = Promise.withResolvers<LegEnd>()
    this.ended = promise
    this.#end = resolve
  }

  get audio(): this {
    return this
  }

  observe(observer: LegObserver): () => void {
    this.#outside.step('leg.observe')
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }

  ring(): void {
    this.#note('ring')
  }

  proceed(): void {
    this.#note('proceed')
  }

  async openEarly(): Promise<void> {
    this.#note('openEarly')
  }

  async answer(): Promise<void> {
    this.#note('answer')
    if (!this.over) this.answered = true
  }

  async hangUp(cause: Cause): Promise<void> {
    // The leg ends even if notifying the far end fails.
    this.#finish({ by: 'us', cause })
    this.#note(`hangUp ${cause}`)
  }

  abandon(): void {
    this.#note('abandon')
    this.#finish({ by: 'us', cause: 'normal' })
  }

  async hold(value: boolean): Promise<void> {
    this.#note(`hold ${value}`)
  }

  mute(value: boolean): void {
    this.#note(`mute ${value}`)
    this.muted = value
  }

  echo(value: boolean): void {
    this.#note(`echo ${value}`)
  }

  play(sound: Sound, { loop = false } = {}): Playback {
    this.#note(`play ${nameOf(sound)}`)
    const { promise, resolve } = Promise.withResolvers<{ completed: boolean; playedMs: number }>()
    const cancel = loop || this.over ? () => {} : this.#clock.after(soundMs, () => end(true))
    const end = (completed: boolean): void => {
      cancel()
      this.playing.splice(this.playing.indexOf(entry), this.playing.includes(entry) ? 1 : 0)
      resolve({ completed, playedMs: completed ? soundMs : 0 })
    }
    const entry = { sound, loop, end }
    this.playing.push(entry)
    if (this.over) end(false)
    this.#playsBefore = Promise.all([this.#playsBefore, promise])
    return { done: promise, stop: () => end(false) }
  }

  announce(sound: Sound, { urgent = false }: { urgent?: boolean } = {}): Announcement {
    this.#note(`announce ${nameOf(sound)}`)
    const announcement = this.#announcements.add(sound, urgent)
    if (this.over) announcement.stop()
    return announcement
  }

  muteInput(value: boolean): void {
    this.#note(`hush ${value}`)
    this.inputMuted = value
  }

  duck(value: boolean): void {
    this.#note(`duck ${value}`)
    this.ducked = value
  }

  feed(rate: 8000 | 16000): SoundFeed {
    this.#note(`feed ${rate}`)
    const feed = new ScriptedFeed(this.#clock, rate)
    this.feeds.push(feed)
    if (this.over) feed.stop()
    void this.#playsBefore.then(() => feed.takeTurn())
    this.#playsBefore = Promise.all([this.#playsBefore, feed.done])
    return feed
  }

  background(sound: { wav: Uint8Array } | undefined, volume: number): void {
    this.#note(`background ${sound?.wav.length ?? 'none'} ${volume}`)
    this.under = sound && { wav: sound.wav, volume }
  }

  listen(): LegSound {
    this.#note('listen')
    const ring = SampleRing.of(legSoundSamples)
    this.listening.add(ring)
    if (this.over) ring.end()
    const close = (): void => {
      ring.end()
      this.listening.delete(ring)
    }
    return { buffer: ring.buffer, close }
  }

  async sendDtmf(digits: string): Promise<void> {
    this.#note(`dtmf ${digits}`)
  }

  record(file: RecordingFile): Recording {
    this.#note('record')
    this.recordings.push(file.id)
    return scriptedRecording(this.#clock, this.#outside, file)
  }

  dialog(): SavedDialog | undefined {
    return this.answered || !this.target ? { id: this.id } : undefined
  }

  /** True if it supports REFER; `referral` controls the result. */
  refers = false
  referral: { resolve: () => void; reject: (error: Error) => void; ringing: () => void } | undefined

  async refer(to: { dialled: string } | { leg: Leg }, { ringing = () => {} }: { ringing?: () => void } = {}): Promise<void> {
    this.#note(`refer ${'dialled' in to ? to.dialled : 'to a leg'}`)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.referral = { resolve, reject, ringing }
    await promise
  }

  asFax(): FaxLeg {
    this.#note('asFax')
    const fax = new ScriptedFaxLeg(this.#outside)
    this.fax = fax
    void fax.ended.then((end) => this.#finish(end))
    void this.ended.then(() => fax.hangsUp())
    return fax
  }

  // Actions of the phone.

  rings(): void {
    for (const observer of this.#observers) observer.ringing?.()
  }

  progresses(): void {
    for (const observer of this.#observers) observer.progressing?.()
  }

  sendsEarlyAudio(): void {
    for (const observer of this.#observers) observer.earlyAudio?.()
  }

  answers(): void {
    if (this.over) return
    this.answered = true
    for (const observer of this.#observers) observer.answered?.()
  }

  /** Listeners hear this from it, with silence on the sent side. */
  says(samples: Int16Array): void {
    for (let at = 0; at < samples.length; at += blockSamples) {
      const block = new Int16Array(2 * blockSamples)
      block.set(samples.subarray(at, at + blockSamples))
      for (const ring of this.listening) ring.write(block)
    }
  }

  presses(digits: string, { sounded = false } = {}): void {
    for (const digit of digits) {
      for (const observer of this.#observers) {
        observer.dtmf?.(digit)
        if (!sounded) observer.dtmfSignalled?.(digit)
      }
    }
  }

  /** Reports the state of its sound. */
  sounds(state: SoundState): void {
    for (const observer of this.#observers) observer.sound?.(state)
  }

  types(text: string): void {
    for (const observer of this.#observers) observer.typed?.(text)
  }

  holds(value: boolean): void {
    this.heldByPeer = value
    for (const observer of this.#observers) observer.held?.(value)
  }

  /** Requests a transfer; collects the notifications to the phone. */
  asksTransfer(to: TransferAsked['to']): { told: string[] } {
    const notified: string[] = []
    const asked = {
      to,
      trying: () => notified.push('trying'),
      done: () => notified.push('done'),
      failed: (cause: Cause) => notified.push(cause),
    }
    for (const observer of this.#observers) observer.transferAsked?.(asked)
    return { told: notified }
  }

  hangsUp(cause: Cause = 'normal'): void {
    this.#finish({ by: 'peer', cause })
  }

  refuses(cause: Cause, status?: number): void {
    this.#finish({ by: 'peer', cause, ...(status !== undefined && { status }) })
  }

  dies(cause: Cause = 'failed'): void {
    this.#finish({ by: 'network', cause })
  }

  /** Announcements, which take precedence over other sound: the first one is playing. */
  get announcing(): readonly { sound: Sound }[] {
    return this.#announcements.waiting
  }

  /** True while observers are attached. */
  get observed(): boolean {
    return this.#observers.size > 0
  }

  /** Legs that it hears. */
  get hears(): ScriptedLeg[] {
    return this.bridge?.legs.filter((leg) => leg !== this && !leg.muted) ?? []
  }

  #note(what: string): void {
    this.log.push(what)
    this.#outside.step(`leg.${what}`)
  }

  #finish(end: LegEnd): void {
    if (this.over) return
    this.over = end
    this.bridge?.drop(this)
    for (const { end: stop } of this.playing.slice()) stop(false)
    this.#announcements.stop()
    for (const feed of this.feeds) feed.stop()
    for (const ring of this.listening) ring.end()
    this.#end(end)
  }
}

const nameOf = (sound: Sound): string => {
  if ('tone' in sound) return sound.tone
  if ('prompt' in sound) return `${sound.language}/${sound.prompt}`
  return 'music' in sound ? 'music' : `wav ${sound.wav.length}`
}

export const scriptedRecording = (clock: Clock, outside: Outside, file: RecordingFile): Recording => {
  const startedAt = clock.now()
  return {
    id: file.id,
    opened: Promise.resolve(true),
    stop: async () => {
      outside.step('recording.stop')
      const durationMs = clock.now() - startedAt
      return { durationMs, bytes: 44 + durationMs * 16, truncated: false }
    },
  }
}
