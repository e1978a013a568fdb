import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { Speech, SpeechProvider, Stt, Tts, Vad } from '#core/kernel/ports/speech.ts'
import type { TurnDetector } from '#core/kernel/ports/assistant.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import {
  Emitter,
  type Listeners,
  type Said,
  type Spoken,
  type Conversation,
  type ConversationEvents,
  type ConversationProblem,
} from '#core/assistant/session/conversation.ts'
import { openConversation } from '#core/assistant/session/floor/open-conversation.ts'
import { SessionLanguage } from '#core/assistant/session/session-language.ts'
import { Rehearsals } from '#core/speech/voices/rehearsals.ts'
import { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import { Outside } from '../chance/outside.ts'
import { ScriptedLeg } from '../ports/scripted-leg.ts'
import { VirtualClock } from '../clock/virtual-clock.ts'
import { countsTo, ScriptedVad, ScriptedStt, ScriptedTts } from './scripted-recogniser-and-voice.ts'

export interface ConversationFixtureOptions {
  settings?: FlowSettings
  language?: string
  outbound?: OutboundHttp
  cache?: SpeechCache
  outside?: Outside
  turnDetector?: TurnDetector
  wantsInterim?: () => boolean
  media?: 'audio' | 'both'
  clock?: VirtualClock
  /** VAD for the leg's sound, instead of the scripted one. */
  vad?: Vad
  /** Recognisers in addition to the embedded ones. */
  stts?: (caller: ScriptedVad, clock: VirtualClock) => Partial<Record<SpeechProvider, Stt>>
  ttss?: (clock: VirtualClock) => Partial<Record<SpeechProvider, Tts>>
}

type ObserverCall =
  | { told: 'speechStarted' }
  | { told: 'falseAlarm' }
  | { told: 'backchannel'; text: string }
  | { told: 'ducked'; ducked: boolean }
  | { told: 'quiet' }
  | { told: 'beep' }
  | ({ told: 'said' } & Said)
  | ({ told: 'spoke' } & Spoken)
  | { told: 'discarded'; eventId: string; action: string }
  | ({ told: 'problem' } & ConversationProblem)
  | { told: 'lost'; error: Error }
  | { told: 'soundPlayed'; name: string; playedMs: number }
  | { told: 'soundCleared'; playedMs: number; reason: string }

/** Conversation with a scripted caller, recogniser and voice; records all events. */
export class ConversationFixture {
  readonly clock: VirtualClock
  readonly leg: ScriptedLeg
  readonly caller: ScriptedVad
  readonly stt: ScriptedStt
  readonly tts: ScriptedTts
  readonly cache: SpeechCache
  readonly conversation: Conversation
  readonly language: SessionLanguage
  readonly told: (ObserverCall & { at: number })[] = []
  /** Caller's sound as the endpoint gets it. */
  readonly heardSound: Int16Array[] = []
  /** Called with every event. */
  onTold: (notified: ObserverCall) => void = () => {}
  /** Listener for previews. */
  ahead: Listeners<Pick<ConversationEvents, 'previewed' | 'tookBack'>> = {}

  constructor(options: ConversationFixtureOptions = {}) {
    const {
      settings = {},
      language = 'en',
      outbound = noOutbound,
      cache = new SpeechCache(),
      outside = new Outside(),
      clock = new VirtualClock(0),
      vad,
      stts,
      ttss,
      turnDetector,
      wantsInterim,
      media,
    } = options
    this.clock = clock
    this.caller = new ScriptedVad(clock)
    this.stt = new ScriptedStt(this.caller, clock)
    this.tts = new ScriptedTts(clock)
    this.leg = new ScriptedLeg(clock, outside)
    this.cache = cache
    const allStts: Partial<Record<SpeechProvider, Stt>> = { embedded: this.stt, ...stts?.(this.caller, this.clock) }
    const allTtss: Partial<Record<SpeechProvider, Tts>> = { embedded: this.tts, ...ttss?.(this.clock) }
    const speech: Speech = {
      vad: vad ?? this.caller,
      stt: (provider) => allStts[provider],
      tts: (provider) => allTtss[provider],
      prepare: async () => {},
      close: () => Promise.resolve(),
    }
    this.language = new SessionLanguage(language, settings.stt?.languages)
    const flow = { id: 'flow', name: 'flow', settings }
    this.conversation = openConversation(
      {
        leg: this.leg,
        speech,
        turnDetector,
        clock: this.clock,
        outbound,
        cache,
        rehearsals: new Rehearsals(),
        flow,
        language: this.language,
        wantsInterim,
        media,
      },
      new Emitter<ConversationEvents>().listen(this.#listeners()),
    )
  }

  say(text: string, more: Partial<ActionOf<'speak'>> = {}, eventId = 'event'): void {
    this.conversation.say({ type: 'speak', session_id: 'session', text, ...more }, eventId)
  }

  /** Events in order, as words: `said hello`, `spoke`, `cut`. */
  get story(): string[] {
    return this.told.flatMap((one) => {
      if (one.told === 'backchannel') return [`backchannel ${one.text}`]
      if (one.told === 'ducked') return []
      if (one.told === 'said') return [`said ${one.text}${one.bargedIn ? ' (barged in)' : ''}`]
      if (one.told === 'spoke') return [one.completed ? 'spoke' : 'cut']
      if (one.told === 'soundPlayed') return [`played ${one.name} at ${one.playedMs}`]
      if (one.told === 'soundCleared') return [`cleared at ${one.playedMs} (${one.reason})`]
      return one.told === 'problem' ? [] : [one.told === 'discarded' ? `discarded ${one.eventId}` : one.told]
    })
  }

  all<T extends ObserverCall['told']>(notified: T): (Extract<ObserverCall, { told: T }> & { at: number })[] {
    return this.told.filter((one): one is Extract<ObserverCall, { told: T }> & { at: number } => one.told === notified)
  }

  get problems(): string[] {
    return this.all('problem').map(({ message }) => message)
  }

  /** Samples that the phone has heard, in order. */
  get heard(): number[] {
    return this.leg.feeds.flatMap((feed) => [...feed.samples.subarray(0, Math.round((feed.playedMs() * feed.rate) / 1000))])
  }

  /** True if the phone has heard every sample of the one voice once, from the first on. */
  get heardInOrder(): boolean {
    return this.heard.every((sample, index) => sample === (index % countsTo) + 1)
  }

  /** Closes it and returns leftovers. */
  async close(): Promise<object> {
    await this.conversation.close()
    await this.clock.advance(0)
    const { clock, stt, tts, caller, leg } = this
    const feeds = leg.feeds.filter(({ result }) => !result).length
    return { timers: clock.pending(), streams: stt.streams, questions: stt.pending, voices: tts.running, ears: caller.open, feeds }
  }

  #listeners(): Listeners<ConversationEvents> {
    const write = (notified: ObserverCall): void => {
      this.told.push({ ...notified, at: this.clock.now() })
      this.onTold(notified)
    }
    return {
      speechStarted: () => write({ told: 'speechStarted' }),
      said: (said) => write({ told: 'said', ...said }),
      backchannel: (text) => write({ told: 'backchannel', text }),
      ducked: (ducked) => write({ told: 'ducked', ducked }),
      falseAlarm: () => write({ told: 'falseAlarm' }),
      spoke: (spoken) => write({ told: 'spoke', ...spoken }),
      discarded: (discarded) => write({ told: 'discarded', ...discarded }),
      quiet: () => write({ told: 'quiet' }),
      problem: (problem) => write({ told: 'problem', ...problem }),
      beep: () => write({ told: 'beep' }),
      lost: (error) => write({ told: 'lost', error }),
      heardSound: (samples) => this.heardSound.push(samples),
      soundPlayed: (name, playedMs) => write({ told: 'soundPlayed', name, playedMs }),
      soundCleared: (playedMs, reason) => write({ told: 'soundCleared', playedMs, reason }),
      previewed: (preview) => this.ahead.previewed?.(preview),
      tookBack: () => this.ahead.tookBack?.(),
    }
  }
}

export const nothingLeft = { timers: 0, streams: 0, questions: 0, voices: 0, ears: 0, feeds: 0 }

const noOutbound: OutboundHttp = { request: () => Promise.reject(new Error('no network')), close: () => Promise.resolve() }
