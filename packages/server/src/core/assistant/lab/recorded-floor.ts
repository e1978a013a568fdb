import type { LabInterruption } from '@offhook/contract/v2/lab.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { LabRun, RecordedSpeech } from '#core/kernel/ports/lab/lab.ts'
import type { Transcript } from '#core/kernel/ports/speech.ts'
import { BargeInControl } from '../session/floor/barge-in-control.ts'
import { mustWait, newTurn, outcomeOf, type CallerTurn } from '../session/floor/caller-turn.ts'
import { isBackChannel } from '../session/floor/interruption.ts'
import type { SessionLanguage } from '../session/language/session-language.ts'
import type { HeardTurn } from '../session/listening/hearing-parts.ts'
import type { Hearing } from '../session/listening/hearing.ts'
import { PlayedSpeech } from './played-speech.ts'

export interface RecordedFloorDeps {
  clock: Clock
  hearing: Pick<Hearing, 'voiced' | 'follow'>
  language: SessionLanguage
  bargeIn: RecordedSpeech['bargeIn']
}

/**
 * Who has the floor, where the assistant speaks when it was recorded to: the rules of a call decide what the caller interrupts, and what the caller
 * says is. A speech that begins while the caller's turn is still open would have begun later, so it waits; that is all that is different.
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

  /** It begins, or goes on, unless the caller has the floor. */
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
