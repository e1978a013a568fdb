import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { audioClearReasons } from '@offhook/contract/assistant/events.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { Speech, SpeechRate, SpokenWord } from '#core/kernel/ports/speech.ts'
import type { EndOfTurn, TurnDetector } from '#core/kernel/ports/assistant/turn-detector.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import type { TurnSilence } from '#core/speech/turns/turn-silence.ts'
import type { Rehearsals } from '#core/speech/voices/rehearsals.ts'
import type { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import type { SessionLanguage } from '../language/session-language.ts'
import type { Cut } from './barge-in.ts'

export interface ConversationDeps {
  leg: Leg
  speech: Speech
  /** In place of the embedded one. */
  turnDetector?: TurnDetector | undefined
  clock: Clock
  /** For SSML <audio>. */
  outbound: OutboundHttp
  /** One for all calls. */
  cache: SpeechCache
  /** For all calls, too. */
  rehearsals: Rehearsals
  flow: Flow
  language: SessionLanguage
  /** The endpoint wants to be told what is said while it is said (`understood`). */
  wantsInterim?: (() => boolean) | undefined
  /** Sound goes to the endpoint and comes from it; `audio`: and nothing is recognised. */
  media?: 'audio' | 'both' | undefined
}

/** When the steps of finding the end of the caller's turn were done; milliseconds since the last voiced sample. */
export interface TurnTiming {
  /** Of the last voiced sample: milliseconds since the epoch. */
  speechEndedAt: number
  /** The detector reported the end of speech. */
  vadEndMs: number
  /** The silence was long enough. */
  endpointMs: number
  /** The words were known. */
  sttFinalMs: number
}

/** Why a turn was over when it was. */
export interface TurnEnd extends Partial<EndOfTurn> {
  /** For how many milliseconds the caller had to be silent. */
  silenceMs: number
  rule: TurnSilence['rule']
  /** Between these the probability decided. */
  leastMs: number
  mostMs: number
}

/** What the caller said in one turn. */
export interface Said {
  text: string
  /** It interrupted the assistant. */
  bargedIn: boolean
  /** On an interruption: what the caller had heard of the speech. */
  heardText?: string
  heardMs?: number
  language?: string
  confidence?: number
  /** When each word was said, since the caller began to speak. */
  words?: readonly SpokenWord[]
  /** Typed, not spoken. */
  typed?: true
  /** From the first to the last sound of the caller's voice. */
  durationMs?: number
  /** Who wrote it down. */
  recogniser?: string
  timing: TurnTiming
  end?: TurnEnd
}

/** What the caller said and nobody understood. */
export interface Unclear {
  durationMs: number
  /** What it may have been. */
  guess?: string
  confidence?: number
}

/** What the caller has said in a turn that is probably, but not surely, over. */
export interface Preview {
  text: string
  confidence?: number
  /** 0 to 1. */
  endProbability: number
}

/** A speech or recording of the assistant, of which at least a part was played. */
export interface Spoken {
  /** Of the action that it came from; for a streamed speech of its first piece. */
  eventId: string
  /** As in the action; neither for audio. */
  text?: string
  ssml?: string
  /** Its text came in pieces, under this name. */
  streamId?: string
  /** It had to be heard to its end. */
  protect?: true
  startedAt: number
  /** How long it sounded. */
  durationMs: number
  /** False: it was cut off. */
  completed: boolean
  /** The caller's words cut it off. */
  cutBy?: Cut
  heardMs: number
  /** The words that sounded, as far as is known. */
  heardText?: string
  /** From asking for it, or from when it was its turn, to its first sound. */
  firstSoundMs: number
}

/** How the first sound of a speech was made. */
export interface Making {
  /** Whose voice it is; undefined for sound that was there already. */
  provider: string | undefined
  /** When it was asked for … */
  askedAt: number
  /** … and there. */
  madeAt: number
}

/** Something is to be said, and nothing of it is there to be heard. */
export interface Stall {
  since: number
  /** The voice takes long; or the text, which comes piece by piece. */
  lacks: 'sound' | 'text'
}

export interface ConversationProblem {
  /** The event whose reply caused it; undefined: the flow's settings did. */
  eventId: string | undefined
  message: string
}

/**
 * Never calls back while one of Conversation's methods runs, except `interrupt`, which tells `spoke`, `discarded` and `quiet` at once, and what
 * takes back a filler.
 */
export interface ConversationObserver {
  /** The caller begins to speak; once per turn. Exactly one of `said`, `backchannel`, `falseAlarm` follows, unless the conversation is closed or lost. */
  speechStarted(): void
  said(said: Said): void
  /** The caller pauses and has probably finished: `said` with the same words follows, or `tookBack`. */
  previewed?(preview: Preview): void
  /** The turn that was previewed goes on, or is none; after `said` it means nothing. */
  tookBack?(): void
  /** A speech begins to sound; `spoke` follows. For the timeline, measurements and traces. */
  sounds?(begun: Pick<Spoken, 'eventId' | 'text' | 'ssml' | 'startedAt'>, making?: Making): void
  /** The voice detector's result, at this time (milliseconds since the epoch), which is that sample of what was heard. For the timeline. */
  voice?(speaks: boolean, at: number, sample: number): void
  /** A partial transcript of the turn. For the timeline and for endpoints that want interim words; `heeded`: it may become a turn. */
  understood?(text: string, heeded: boolean): void
  /** The turn had only words that show that the caller listens, while the assistant spoke, which goes on. */
  backchannel(text: string): void
  /** The assistant is softer under the caller's voice, or as loud as before. For the timeline. */
  ducked?(ducked: boolean): void
  /** The turn had no words: a cough, a noise, or something unclear. `voiceMs`: how long the voice was, if the caller had the floor; else 0. */
  falseAlarm(voiceMs: number): void
  /** A speech has ended or was cut; when the caller cut it, before `said`. */
  spoke(spoken: Spoken): void
  /** A speak or audio action of which nothing sounded: the caller said something first, or it was interrupted, or the leg is gone. */
  discarded(discarded: { eventId: string; action: 'speak' | 'audio' }): void
  /** A speak or audio action of which nothing sounded, because no voice could say it. */
  unsaid?(): void
  /** A speech has the floor and is silent for a second; told every second. */
  stalled?(stall: Stall): void
  /** Nothing is playing or waiting any more. */
  quiet(): void
  problem(problem: ConversationProblem): void
  /** The answering machine's tone, after `detectMachine` was asked for: now it records. */
  beep(): void
  /** The caller cannot be heard any more, for good. Speeches are still played. */
  lost(error: Error): void
  /** What the caller says, 20 ms at 8 kHz. */
  heardSound?(samples: Int16Array<ArrayBuffer>): void
  /** All sound that the endpoint sent before it marked it so was heard. */
  soundPlayed?(name: string, playedMs: number): void
  /** Sound of the endpoint that was not heard is gone. */
  soundCleared?(playedMs: number, reason: (typeof audioClearReasons)[number]): void
}

/** Sound that the endpoint itself sends. */
export interface ConversationSound {
  /** How much of it the caller has heard until now. */
  readonly playedMs: number
  /** `begun`: nothing of the endpoint sounded just before. `full`: it, or the end of it, was not taken. */
  put(sound: { samples: Int16Array; rate: SpeechRate }, eventId: string): 'begun' | 'taken' | 'full'
  /** `soundPlayed` tells when all that was put before was heard; never, when it was cleared. */
  mark(name: string): void
  /** What was not heard yet is dropped; `soundCleared` follows. */
  clear(): void
  /** What is put next comes after whatever is said next. */
  end(): void
}

export type AnsweredBy = 'human' | 'machine' | 'unknown'

/** The assistant's side of the sound of one leg: speech out, turns of the caller in. */
export interface Conversation {
  /** There is a voice for this language (BCP 47), also if it is not the flow's. */
  speaks(language: string): boolean
  /** Something is playing or waiting to be played. */
  readonly speaking: boolean
  /** What is to be said is silent for a while, because nothing of it is there to be heard. */
  readonly stalled: boolean
  /** Something is playing or waiting to be played that has to be heard. */
  readonly protects: boolean
  /** The caller is in the middle of an utterance. */
  readonly callerSpeaks: boolean
  /** Something sounds softly under everything. */
  readonly playsBackground: boolean
  /** Undefined: the flow has none. */
  readonly sound: ConversationSound | undefined
  /** More pieces of this stream may come. */
  isStreaming(streamId: string): boolean
  say(action: ActionOf<'speak'>, eventId: string): void
  play(action: ActionOf<'audio'>, eventId: string): void
  /**
   * Says something beside the conversation: it cannot be interrupted, and the observer is not told of it, only that it is quiet afterwards. In
   * a speech that stalls it is said at once, if there is sound for it.
   * `sounds`: it begins to. Gives how to take it back before that.
   */
  sayAside(action: ActionOf<'speak'>, eventId: string, sounds: () => void): () => void
  /** Makes the sound of a speech and keeps it back: `say` or `play` with the same action lets it be heard. */
  prepare(action: ActionOf<'speak'> | ActionOf<'audio'>, eventId: string): void
  /** What was prepared and not said is never heard. */
  dropPrepared(): void
  /** What the caller is likely to say next, until another is expected. */
  expect(input: Pick<ActionOf<'speak'>, 'expects' | 'expects_digits'>): void
  /** Ends what plays and drops what waits, at once. */
  interrupt(): void
  /** The same, but for what is protected. */
  bargeIn(): void
  configure(action: ActionOf<'configure_transcription'>, eventId: string): void
  background(action: ActionOf<'mix_audio'>, eventId: string): void
  /**
   * Whether a person or a machine answered an outbound call; call it once, right after the answer. Takes some seconds at most; `unknown`
   * when the conversation is closed.
   */
  detectMachine(): Promise<AnsweredBy>
  /** Resolves when nothing plays or waits any more. The observer is not called any more from now on. */
  close(): Promise<void>
}
