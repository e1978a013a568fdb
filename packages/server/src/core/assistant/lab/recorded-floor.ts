import type { LabInterruption } from '@offhook/contract/v2/lab.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { LabRun, RecordedSpeech, Transcript } from '#core/kernel/ports/speech.ts'
import { BargeInControl, mustWait, newTurn, outcomeOf, type CallerTurn, type SoundingSpeech } from '../session/floor/barge-in-control.ts'
import { isBackChannel } from '../session/floor/interruption.ts'
import type { SessionLanguage } from '../session/session-language.ts'
import type { HeardTurn, Hearing } from '../session/listening/hearing.ts'
import { bargeInRule, type BargeInRule } from '@offhook/contract/assistant/barge-in.ts'
import { utterancesOf } from '#core/speech/text-normalization/sentences.ts'
import { noBargeIn, type Cut } from '../session/conversation.ts'
import { estimatedMs, heardText, type TimedWords, lastClauseFrom } from '../session/speaking/playout.ts'

interface RecordedFloorDeps {
  clock: Clock
  hearing: Pick<Hearing, 'voiced' | 'follow'>
  language: SessionLanguage
  bargeIn: RecordedSpeech['bargeIn']
}

/**
 * Floor control for a recording, in which the assistant speaks at its recorded times. The rules of a call decide interruptions and turn outcomes.
 * The only difference: a speech that begins while the caller's turn is still open waits, because it would have begun later.
 */
export class RecordedFloor {
  readonly run: LabRun = { turns: [], interruptions: [] }
  readonly #deps: RecordedFloorDeps
  readonly #control: BargeInControl
  #current: PlayedSpeech | undefined
  #cancelEnd: () => void = () => {}
  #turn: (CallerTurn & { startMs: number; began: PlayedSpeech | undefined; interruption?: LabInterruption }) | undefined
  #voiceAt = 0
  #wordless = false
  #unheardUntil = -Infinity

  constructor(deps: RecordedFloorDeps, speeches: readonly RecordedSpeech[]) {
    this.#deps = deps
    this.#control = new BargeInControl({
      ...deps,
      audio: { duck: () => {} },
      current: () => this.#current,
      interrupt: () => this.#interrupt(),
      release: () => this.#release(),
      ducked: () => {},
    })
    for (const speech of speeches) deps.clock.after(speech.startMs, () => this.#begins(speech))
  }

  noticed(at: number): void {
    this.#control.noticed(at)
  }

  voice(speaks: boolean, at: number): void {
    if (speaks) this.#voiceAt = at
    this.#control.voice(this.#turn, speaks, at)
  }

  began(goesOn: boolean): void {
    const speech = this.#current
    const turn = newTurn(speech, this.#deps.clock.now(), goesOn && this.#wordless)
    this.#turn = { ...turn, startMs: this.#voiceAt, began: speech?.sounding === true ? speech : undefined }
    this.#control.began(this.#turn)
    if (speech) this.#control.listenIntoNoise(this.#turn)
  }

  understood(heard: Transcript, agoMs: number): void {
    if (this.#turn) this.#control.weigh(this.#turn, heard, { agoMs, final: false })
  }

  ended(heard: HeardTurn): void {
    const turn = this.#turn
    if (!turn) return
    const { clock, language } = this.#deps
    this.#control.weigh(turn, heard, { agoMs: clock.now() - heard.timing.speechEndedAt, final: true })
    turn.cancelTimer()
    this.#turn = undefined
    this.#control.follow(false)
    const text = heard.text === '' ? (turn.cut?.words ?? '') : heard.text
    this.#wordless = text === ''
    const floor = { speech: this.#current, unheardUntil: this.#unheardUntil, languageNow: language.now }
    const outcome = outcomeOf(turn, { ...heard, text }, floor)
    const nothing = heard.text === '' || (!turn.answers && isBackChannel(heard.text, heard.language ?? language.now))
    if (turn.interruption && nothing) turn.interruption.false = true
    this.run.turns.push({
      startMs: Math.round(turn.startMs),
      endMs: Math.round(heard.timing.speechEndedAt),
      decidedMs: Math.round(clock.now()),
      outcome,
      ...(heard.end && { rule: heard.end.rule }),
      ...(text !== '' && { text }),
      ...(turn.began && { overSpeech: true }),
      silenceMs: Math.round(heard.timing.endpointMs),
      cut: turn.cut !== undefined,
      missed: turn.began?.sounding === true && !turn.cut && (outcome === 'told' || outcome === 'unheard'),
    })
    this.#release()
  }

  close(): void {
    this.#control.close()
    this.#turn?.cancelTimer()
    this.#cancelEnd()
  }

  #begins(recorded: RecordedSpeech): void {
    const { clock, language, bargeIn } = this.#deps
    if (this.#current) this.#ended()
    this.#current = new PlayedSpeech(recorded, { clock, language: language.own, bargeIn })
    this.#release()
    this.#control.attend()
    this.#control.listenIntoNoise(this.#turn)
  }

  /** Starts or resumes the speech unless the caller has the floor. */
  #release(): void {
    const speech = this.#current
    if (!speech || (!speech.suspended && mustWait(speech, this.#turn))) return
    speech.start()
    this.#cancelEnd()
    this.#cancelEnd = this.#deps.clock.after(speech.leftMs, () => {
      if (speech.suspended || speech !== this.#current) return
      this.#ended()
    })
  }

  #interrupt(): void {
    const { clock } = this.#deps
    const speech = this.#current
    if (speech && this.#turn) {
      const { cutBy, recorded } = speech
      this.#turn.interruption = {
        atMs: Math.round(clock.now()),
        heardMs: Math.round(speech.playedMs),
        ...(cutBy && { reason: cutBy.reason, text: cutBy.text }),
        ...(recorded.eventId !== undefined && { eventId: recorded.eventId }),
      }
      this.run.interruptions.push(this.#turn.interruption)
    }
    this.#ended()
  }

  #ended(): void {
    const speech = this.#current
    this.#cancelEnd()
    speech?.hold()
    if (speech?.order.rule.strategy === 'none') this.#unheardUntil = this.#deps.clock.now()
    this.#current = undefined
    this.#control.attend()
    this.#control.follow(false)
  }
}

/** A recorded speech of the assistant. Plays no audio and only tracks its position. */
class PlayedSpeech implements SoundingSpeech {
  readonly order: { rule: BargeInRule; protect: boolean }
  readonly recorded: RecordedSpeech
  readonly arrivedAt: number
  readonly #clock: Clock
  readonly #words: readonly TimedWords[]
  #playedMs = 0
  #since: number | undefined
  #started = false
  cutBy: Cut | undefined

  constructor(
    recorded: RecordedSpeech,
    { clock, language, bargeIn }: { clock: Clock; language: string; bargeIn: RecordedSpeech['bargeIn'] },
  ) {
    const { protect } = recorded
    this.recorded = recorded
    this.#clock = clock
    this.arrivedAt = clock.now()
    this.order = { protect, rule: protect ? noBargeIn : bargeInRule(recorded.bargeIn, bargeIn) }
    this.#words = timedWords(recorded, language)
  }

  get sounding(): boolean {
    return this.#since !== undefined
  }

  get suspended(): boolean {
    return this.#started && this.#since === undefined
  }

  get playedMs(): number {
    return this.#playedMs + (this.#since === undefined ? 0 : this.#clock.now() - this.#since)
  }

  get leftMs(): number {
    return Math.max(0, this.recorded.fullMs - this.playedMs)
  }

  start(): void {
    this.#started = true
    this.#since ??= this.#clock.now()
  }

  hold(): void {
    this.#playedMs = this.playedMs
    this.#since = undefined
  }

  cut(by: Cut): void {
    this.cutBy = by
  }

  heard(): { heardMs: number; heardText: string } {
    return { heardMs: Math.round(this.playedMs), heardText: heardText(this.#words, this.playedMs, this.recorded.fullMs) }
  }

  asked(playedMs: number): boolean {
    const from = lastClauseFrom(this.#words, this.recorded.wantsAnswer)
    return from !== undefined && playedMs >= from
  }
}

/** Spreads the duration by letters, because the duration of each utterance is unknown. */
const timedWords = ({ text, fullMs }: RecordedSpeech, language: string): TimedWords[] => {
  const utterances = utterancesOf(text, language)
  const scale =
    fullMs /
    Math.max(
      1,
      utterances.reduce((sum, one) => sum + estimatedMs(one), 0),
    )
  let at = 0
  return utterances.map((one) => {
    const fromMs = at
    at += scale * estimatedMs(one)
    return { text: one, fromMs, toMs: at }
  })
}
