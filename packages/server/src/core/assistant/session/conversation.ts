import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { audioClearReasons } from '@offhook/contract/assistant/events.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { Speech, SpeechRate, SpokenWord } from '#core/kernel/ports/speech.ts'
import type { EndOfTurn, TurnDetector } from '#core/kernel/ports/assistant.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import type { TurnSilence } from '#core/speech/turns/turn-silence.ts'
import type { Rehearsals } from '#core/speech/voices/rehearsals.ts'
import type { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import type { SessionLanguage } from './session-language.ts'
import type { BargeInRule } from '@offhook/contract/assistant/barge-in.ts'
import type { InterruptionReason } from '@offhook/contract/v2/timeline.ts'

export interface ConversationDeps {
  leg: Leg
  speech: Speech
  /** Replaces the embedded detector. */
  turnDetector?: TurnDetector | undefined
  clock: Clock
  /** For SSML <audio>. */
  outbound: OutboundHttp
  /** Shared by all calls. */
  cache: SpeechCache
  /** Shared by all calls. */
  rehearsals: Rehearsals
  flow: Flow
  language: SessionLanguage
  /** True if the endpoint wants partial transcripts (`understood`). */
  wantsInterim?: (() => boolean) | undefined
  /** The assistant has called: a lone hello is not answered while its greeting is still to be heard. */
  callsOut?: boolean | undefined
  /** Audio is exchanged with the endpoint; `audio`: without speech recognition. */
  media?: 'audio' | 'both' | undefined
}

/** Steps of endpointing, in milliseconds since the last voiced sample. */
export interface TurnTiming {
  /** Time of the last voiced sample, in milliseconds since the epoch. */
  speechEndedAt: number
  /** VAD reported the end of speech. */
  vadEndMs: number
  /** The silence was long enough. */
  endpointMs: number
  /** The final transcript arrived. */
  sttFinalMs: number
}

/** Reason for the end of a turn. */
export interface TurnEnd extends Partial<EndOfTurn> {
  /** Required silence in milliseconds. */
  silenceMs: number
  rule: TurnSilence['rule']
  /** Bounds of the silence between which the probability decided. */
  leastMs: number
  mostMs: number
}

/** One caller turn. */
export interface Said {
  text: string
  /** True if it interrupted the assistant. */
  bargedIn: boolean
  /** Part of the speech that the caller had heard before the interruption. */
  heardText?: string
  heardMs?: number
  language?: string
  confidence?: number
  /** Level of the voice above the noise of the line. */
  snrDb?: number
  /** Times of the words since the caller began to speak. */
  words?: readonly SpokenWord[]
  /** Typed, not spoken. */
  typed?: true
  /** A callee's lone hello, before there was any speech of the endpoint. */
  greets?: true
  /** Milliseconds from the first to the last voiced sample. */
  durationMs?: number
  /** Name of the recogniser. */
  recogniser?: string
  timing: TurnTiming
  end?: TurnEnd
}

/** Caller speech that was not understood. */
export interface Unclear {
  durationMs: number
  /** Possible text. */
  guess?: string
  confidence?: number
}

/** Caller text of a turn that is probably, but not certainly, over. */
export interface Preview {
  text: string
  confidence?: number
  /** 0 to 1. */
  endProbability: number
}

/** A speech or recording of the assistant, at least partly played. */
export interface Spoken {
  /** Event id of its action; for a streamed speech, of its first part. */
  eventId: string
  /** As in the action; both missing for audio. */
  text?: string
  ssml?: string
  /** Stream id if the text arrived in parts. */
  streamId?: string
  /** Set if it could not be interrupted. */
  protect?: true
  startedAt: number
  /** Played milliseconds. */
  durationMs: number
  /** False if it was cut off. */
  completed: boolean
  /** Set if the caller's words cut it off. */
  cutBy?: Cut
  heardMs: number
  /** Words that were played, as far as known. */
  heardText?: string
  /** Milliseconds from the request, or from its turn in the queue, to its first sound. */
  firstSoundMs: number
}

/** Synthesis of a speech's first sound. */
export interface Making {
  /** TTS provider; undefined for existing audio. */
  provider: string | undefined
  /** Time of the request. */
  askedAt: number
  /** Time of the first audio. */
  madeAt: number
}

/** A speech that has no audio to play. */
export interface Stall {
  since: number
  /** Missing audio from the voice, or missing text of a stream. */
  lacks: 'sound' | 'text'
}

export interface ConversationProblem {
  /** Event whose reply caused it; undefined if the flow's settings did. */
  eventId: string | undefined
  message: string
}

/**
 * Events of a conversation. None is emitted while one of Conversation's methods runs, except by `interrupt`, which emits `spoke`, `discarded` and
 * `quiet` immediately, and by the function that cancels a filler.
 */
export interface ConversationEvents {
  /**
   * The caller begins to speak; once per turn. Exactly one of `said`, `backchannel`, `falseAlarm` follows, unless the conversation is closed or
   * lost.
   */
  speechStarted: []
  said: [said: Said]
  /** The caller pauses and has probably finished: `said` with the same words follows, or `tookBack`. */
  previewed: [preview: Preview]
  /** The previewed turn continues or is discarded; has no meaning after `said`. */
  tookBack: []
  /** A speech begins to sound; `spoke` follows. For the timeline, metrics and traces. */
  sounds: [begun: Pick<Spoken, 'eventId' | 'text' | 'ssml' | 'startedAt'>, making?: Making]
  /** VAD result with its time (milliseconds since the epoch) and sample position. For the timeline. */
  voice: [speaks: boolean, at: number, sample: number]
  /** Partial transcript of the turn. For the timeline and for endpoints that want interim words; `heeded`: it may become a turn. */
  understood: [text: string, heeded: boolean]
  /** The turn was only a back-channel during the assistant's speech, which continues. */
  backchannel: [text: string]
  /** The assistant's volume was lowered under the caller's voice, or restored. For the timeline. */
  ducked: [ducked: boolean]
  /** The turn had no words: a cough, a noise, or unclear speech. `voiceMs`: voiced milliseconds if the caller had the floor, else 0. */
  falseAlarm: [voiceMs: number]
  /** A speech has ended or was cut; called before `said` when the caller cut it. */
  spoke: [spoken: Spoken]
  /** A speak or audio action without any sound: the caller spoke first, it was interrupted, or the leg is gone. */
  discarded: [discarded: { eventId: string; action: 'speak' | 'audio' }]
  /** A speak or audio action without any sound, because no voice could say it. */
  unsaid: []
  /** A speech has the floor and has been silent for a second; repeated every second. */
  stalled: [stall: Stall]
  /** The playback queue is empty. */
  quiet: []
  problem: [problem: ConversationProblem]
  /** The answering machine's tone, after `detectMachine` was called: recording starts now. */
  beep: []
  /** The caller can no longer be heard, permanently. Speech is still played. */
  lost: [error: Error]
  /** Caller audio, 20 ms at 8 kHz. */
  heardSound: [samples: Int16Array<ArrayBuffer>]
  /** All endpoint audio before this mark was heard. */
  soundPlayed: [name: string, playedMs: number]
  /** Unheard endpoint audio was dropped. */
  soundCleared: [playedMs: number, reason: (typeof audioClearReasons)[number]]
}

/** Audio sent by the endpoint itself. */
export interface ConversationSound {
  /** Milliseconds the caller has heard so far. */
  readonly playedMs: number
  /** `begun`: no endpoint audio was playing just before. `full`: it, or its end, was rejected. */
  put(sound: { samples: Int16Array; rate: SpeechRate }, eventId: string): 'begun' | 'taken' | 'full'
  /** `soundPlayed` is called when all earlier audio was heard; never if it was cleared. */
  mark(name: string): void
  /** Drops unheard audio; `soundCleared` follows. */
  clear(): void
  /** Audio put later is queued after the next speech. */
  end(): void
}

export type AnsweredBy = 'human' | 'machine' | 'unknown'

/** The assistant's side of one leg's audio: speech out, caller turns in. */
export interface Conversation {
  /** True if a voice exists for this language (BCP 47), even if it is not the flow's. */
  speaks(language: string): boolean
  /** Audio is playing or queued. */
  readonly speaking: boolean
  /** The current speech is silent, because no audio has arrived for it. */
  readonly stalled: boolean
  /** Protected speech is playing or queued. */
  readonly protects: boolean
  /** The caller is in the middle of an utterance. */
  readonly callerSpeaks: boolean
  /** Background audio is playing. */
  readonly playsBackground: boolean
  /** Undefined if the flow has none. */
  readonly sound: ConversationSound | undefined
  /** More parts of this stream may arrive. */
  isStreaming(streamId: string): boolean
  say(action: ActionOf<'speak'>, eventId: string): void
  play(action: ActionOf<'audio'>, eventId: string): void
  /**
   * Speaks outside the conversation: cannot be interrupted and is reported to the observer only by `quiet` afterwards. In a stalled speech it is
   * spoken immediately if audio exists for it. `sounds`: called when it begins to sound. Returns a function that cancels it before that.
   */
  sayAside(action: ActionOf<'speak'>, eventId: string, sounds: () => void): () => void
  /** Synthesizes a speech and holds it back: `say` or `play` with the same action releases it. */
  prepare(action: ActionOf<'speak'> | ActionOf<'audio'>, eventId: string): void
  /** Discards prepared speech that was not released. */
  dropPrepared(): void
  /** Sets the caller's likely answer until the next call. */
  expect(input: Pick<ActionOf<'speak'>, 'expects' | 'expects_digits' | 'expects_options'>): void
  /** Stops playback and clears the queue immediately. */
  interrupt(): void
  /** Like `interrupt`, but keeps protected speech. */
  bargeIn(): void
  configure(action: ActionOf<'configure_transcription'>, eventId: string): void
  background(action: ActionOf<'mix_audio'>, eventId: string): void
  /**
   * Detects whether a person or a machine answered an outbound call; call it once, right after the answer. Takes some seconds at most; `unknown`
   * if the conversation is closed.
   */
  detectMachine(): Promise<AnsweredBy>
  /** Resolves when playback has stopped and the queue is empty. Emits nothing from now on. */
  close(): Promise<void>
}

/** Reason why a speech was cut off, with the caller's recognised text. */
export interface Cut {
  reason: InterruptionReason
  text: string
}

/** Listens to the caller without interrupting. */
export const noBargeIn: BargeInRule = { strategy: 'manual', minimumCharacters: 0, allowAfterMs: 0 }

type Arguments<Events> = { [Name in keyof Events]: unknown[] }

/** Listeners for some of these events. */
export type Listeners<Events extends Arguments<Events>> = { [Name in keyof Events]?: (...args: Events[Name]) => void }

/** Events by name: calls the listeners immediately, in the order in which they were added. */
export class Emitter<Events extends Arguments<Events>> {
  readonly #listeners: Listeners<Events>[] = []

  listen(listeners: Listeners<Events>): this {
    this.#listeners.push(listeners)
    return this
  }

  emit<Name extends keyof Events>(name: Name, ...args: Events[Name]): void {
    for (const listeners of this.#listeners) listeners[name]?.(...args)
  }
}
