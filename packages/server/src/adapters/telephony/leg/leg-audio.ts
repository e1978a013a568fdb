import type { Announcement, Audio, LegSound, Playback, Recording, RecordingFile, Sound, SoundFeed } from '#core/kernel/ports/telephony.ts'
import type { Media, MediaStream, Pcm, Room, StreamObserver } from '#media/engine.ts'
import { nothingPlayed } from '#media/control/runs.ts'
import { SampleRing } from '#media/thread/sample-ring.ts'
import { recordInto, type RecordingStore } from './record-into.ts'
import type { Sounds } from './sounds.ts'
import type { SavedMedia } from '../sdp/saved-media.ts'
import type { Agreed, OfferOptions, MediaSession } from '../sdp/media-session.ts'

export interface AudioParts {
  media: Media
  sounds: Sounds
  recordings: RecordingStore
}

export interface AudioObserver extends StreamObserver {
  /** Something that `saved` has. */
  changed?(): void
  /** The way to the far end is gone. */
  broken(): void
}

const nothingFed: SoundFeed = {
  get begun() {
    return nothingPlayed.begun
  },
  done: nothingPlayed.done,
  stop: () => {},
  write: () => 0,
  hasCapacity: () => Promise.resolve(),
  end: () => {},
  playedMs: () => 0,
}

const nothingHeard = (): LegSound => {
  const ring = SampleRing.of(1)
  ring.end()
  return { buffer: ring.buffer, close: () => {} }
}

/** The sound of one leg: its stream, what SDP agreed about it, and what was wished for before there was a stream. */
export class LegAudio implements Audio {
  readonly #deps: AudioParts
  #session: MediaSession
  #observer: AudioObserver | undefined
  #opening: Promise<void> | undefined
  #streamOpening: Promise<MediaStream> | undefined
  #stream: MediaStream | undefined
  #closed = false
  #room: Room | undefined
  #muted = false
  #inputMuted = false
  #echoes = false
  #wantsKeys = false
  #background: { sound: Pcm; volume: number } | undefined
  #agreed: Agreed | undefined
  #holdMusic: Playback | undefined

  constructor(deps: AudioParts, session: MediaSession) {
    this.#deps = deps
    this.#session = session
    this.#watch(session)
  }

  /** Another way of carrying the audio, before the far end agreed to one. */
  use(session: MediaSession): void {
    this.#session.close?.()
    this.#session = session
    this.#watch(session)
  }

  observe(observer: AudioObserver): void {
    this.#observer = observer
  }

  /** Missing until it is open. */
  get stream(): MediaStream | undefined {
    return this.#stream
  }

  get closed(): boolean {
    return this.#closed
  }

  get heldByPeer(): boolean {
    return this.#agreed?.heldByPeer ?? false
  }

  get codec(): string | undefined {
    return this.#agreed?.settings.codec
  }

  get muted(): boolean {
    return this.#muted
  }

  /** What another process needs to go on with it; undefined when none can. */
  saved(): SavedMedia | undefined {
    return this.#session.saved?.()
  }

  /** Nothing is expected to arrive, because one side or both are on hold. */
  get paused(): boolean {
    return this.heldByPeer || this.#session.holding
  }

  /** Throws MediaFull when there is no port left. `near`: which leg it will be bridged with. */
  open(near?: LegAudio): Promise<void> {
    return (this.#opening ??= this.#open(near).catch((error: unknown) => {
      this.#opening = undefined // there may be a port later
      throw error
    }))
  }

  /** A new offer, or the last one again with what changed. */
  async offer(options?: OfferOptions): Promise<string> {
    return this.#session.offer(this.#port, options)
  }

  /** The answer to this offer, which is in force from now on; undefined when there is nothing that both sides speak. */
  async answer(offer: string, from: string | undefined): Promise<string | undefined> {
    const reply = await this.#session.answer(offer, this.#port, from)
    if (reply) this.#apply(reply.agreed)
    return reply?.sdp
  }

  /** The far end's answer to our offer. False when it makes no sense. */
  confirm(answer: string, from: string | undefined): boolean {
    const agreed = this.#session.confirm(answer, from)
    if (agreed) this.#apply(agreed)
    return agreed !== undefined
  }

  /** For the next offer or answer. */
  set holding(value: boolean) {
    this.#session.holding = value
  }

  /** Audio of the far end is expected from now on. */
  expectAnew(): void {
    if (!this.#agreed) return
    const { settings } = this.#agreed
    this.#stream?.configure({ ...settings, receive: false })
    this.#stream?.configure(settings)
  }

  mute(value: boolean): void {
    const changed = value !== this.#muted
    this.#muted = value
    this.#stream?.mute(value)
    if (changed) this.#observer?.changed?.()
  }

  echo(value: boolean): void {
    this.#echoes = value
    this.#stream?.echo(value)
  }

  /** Keys are looked for in its sound, if this phone sends them in no other way. */
  wantKeys(value: boolean): void {
    if (value === this.#wantsKeys) return
    this.#wantsKeys = value
    this.#stream?.wantKeys(value)
  }

  muteInput(value: boolean): void {
    this.#inputMuted = value
    this.#stream?.muteInput(value)
  }

  duck(value: boolean): void {
    this.#stream?.duck(value)
  }

  play(sound: Sound, options?: { loop?: boolean }): Playback {
    const layer = 'music' in sound ? 'music' : 'usual'
    return this.#stream?.play(this.#deps.sounds.pcm(sound), { ...options, layer }) ?? nothingPlayed
  }

  playHoldMusic(value: boolean): void {
    this.#holdMusic?.stop()
    this.#holdMusic = value ? this.play({ music: 'hold' }, { loop: true }) : undefined
  }

  announce(sound: Sound, { urgent = false }: { urgent?: boolean } = {}): Announcement {
    return this.#stream?.announce(this.#deps.sounds.pcm(sound), urgent ? 'notice' : 'announcement') ?? nothingPlayed
  }

  feed(rate: 8000 | 16000): SoundFeed {
    return this.#stream?.feed(rate) ?? nothingFed
  }

  background(sound: { wav: Uint8Array } | undefined, volume: number): void {
    this.#background = sound && { sound: this.#deps.sounds.pcm(sound), volume }
    this.#stream?.background(this.#background?.sound, volume)
  }

  listen(): LegSound {
    return this.#stream?.listen() ?? nothingHeard()
  }

  async sendDtmf(digits: string): Promise<void> {
    if (!this.#closed) await this.#stream?.sendDtmf(digits)
  }

  record(file: RecordingFile): Recording {
    return recordInto(this.#deps.recordings, file, (path) => this.#stream?.record(path))
  }

  enter(room: Room): void {
    this.leave()
    this.#room = room
    if (this.#stream) room.add(this.#stream)
  }

  /** Only this room, if one is named: it may be in another by now. */
  leave(room: Room | undefined = this.#room): void {
    if (room === undefined || room !== this.#room) return
    if (this.#stream) room.remove(this.#stream)
    this.#room = undefined
  }

  /** `silently`: another process goes on with it. */
  async close({ silently = false }: { silently?: boolean } = {}): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.leave()
    this.#session.close?.()
    await this.#stream?.close({ silently })
  }

  get #port(): number {
    if (!this.#stream) throw new Error('the stream is not open')
    return this.#stream.localPort
  }

  async #open(near: LegAudio | undefined): Promise<void> {
    this.#streamOpening = this.#deps.media.openStream(
      {
        dtmf: (digit, source) => this.#observer?.dtmf(digit, source),
        heard: () => this.#observer?.heard?.(),
        sound: (state) => this.#observer?.sound?.(state),
        silent: () => this.#observer?.silent(),
        ended: (quality) => this.#observer?.ended?.(quality),
        lost: () => this.#observer?.lost(),
      },
      near && (near.#stream ?? near.#streamOpening),
    )
    const stream = (this.#stream = await this.#streamOpening)
    this.#streamOpening = undefined
    if (this.#closed) return stream.close()
    if (this.#muted) stream.mute(true)
    if (this.#inputMuted) stream.muteInput(true)
    if (this.#echoes) stream.echo(true)
    if (this.#wantsKeys) stream.wantKeys(true)
    if (this.#background) stream.background(this.#background.sound, this.#background.volume)
    this.#room?.add(stream)
  }

  #watch(session: MediaSession): void {
    void session.broken?.then(() => {
      if (this.#session === session) this.#observer?.broken()
    })
  }

  #apply(agreed: Agreed): void {
    this.#agreed = agreed
    this.#stream?.configure(agreed.settings)
  }
}
