import type { Action, ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { Brief, FlowCall, FlowTransfer } from '#core/kernel/ports/assistant.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Cause, Leg } from '#core/kernel/ports/telephony.ts'
import { sleep } from '#core/kernel/work/waiting.ts'
import type { SessionEndpoint } from './endpoint/session-endpoint.ts'
import type { RepliedEvent } from './endpoint/event-queue.ts'
import { isNote } from './endpoint/session-timeline.ts'
import type { SessionTimeouts } from './session-timeouts.ts'
import type { BriefTarget } from './briefing.ts'
import type { Conversation } from './conversation.ts'

interface ActionPerformerDeps {
  clock: Clock
  call: FlowCall
  leg: Pick<Leg, 'audio'>
  conversation: Conversation
  timeouts: SessionTimeouts
  endpoint: Pick<SessionEndpoint, 'turn' | 'discarded' | 'note'>
  brief: BriefTarget
  /** Informs the caller or the endpoint. */
  onTransferFailed: (target: string, cause: TransferFailure) => void
  onFailure: (error: unknown) => void
}

/** `declined`: a person heard the briefing and rejected the call. */
export type TransferFailure = Cause | 'declined'

/** Actions excluded while the caller hears the transfer target ring. */
const excluded: readonly Action['type'][] = ['speak', 'audio', 'transfer', 'send_dtmf']

/** Actions that end the assistant's part and wait until all earlier speech has been heard. */
const waitsForSpeech = (action: Action): boolean => (action.type === 'hangup' || action.type === 'transfer') && action.now !== true

const isSpoken = (action: Action): action is ActionOf<'speak' | 'audio'> => action.type === 'speak' || action.type === 'audio'

/** Protected speech is played to its end even if the caller spoke in the meantime. */
export const isProtected = (action: Action): boolean => action.type === 'speak' && action.protect === true

/** Milliseconds for `w` in a key sequence: IVR systems need a moment between two questions. */
const keyPauseMs = 500

/** Actions performed here; SessionEndpoint handles the others. */
type PerformableAction = Exclude<Action, { type: 'done' | 'note' | 'result' | 'set_variables' }>

/** Performs the actions of an endpoint. A failing action never ends the call. */
export class ActionPerformer {
  /** Resolves when a transfer was answered and the caller is connected to its target. */
  readonly transferred: Promise<'transferred'>
  readonly #deps: ActionPerformerDeps
  readonly #handedOver: (reason: 'transferred') => void
  /** Called at the next change. */
  readonly #waiting = new Set<() => void>()
  readonly #stopped = new AbortController()
  /** DTMF sequences in progress, one after the other. */
  #keys: Promise<void> = Promise.resolve()
  /** Pending transfers: the endpoint and a user of the account may each start one. */
  #transfers = 0
  /** True if the caller's words cut off the last speech. */
  #cut = false
  /** Last turn in which the endpoint had speech. */
  #spokenTurn: number | undefined
  /** Stream id of the last speech, if it was streamed. */
  #stream: string | undefined
  /** Hang-up or transfer that waits for a speech. */
  #ends: { actions: readonly Action[]; replied: RepliedEvent } | undefined
  #transferredTo: string | undefined
  #pausesRecording = false

  constructor(deps: ActionPerformerDeps) {
    this.#deps = deps
    const { promise, resolve } = Promise.withResolvers<'transferred'>()
    this.transferred = promise
    this.#handedOver = resolve
  }

  /** True during a transfer: the caller's words are then not for the assistant. */
  get transferring(): boolean {
    return this.#transfers > 0
  }

  /** Target that took the caller over. */
  get transferredTo(): string | undefined {
    return this.#transferredTo
  }

  get #ended(): boolean {
    return this.#stopped.signal.aborted
  }

  /** Hang-up or transfer pending until the speech ends. */
  get ends(): { actions: readonly Action[]; replied: RepliedEvent } | undefined {
    return this.#ends
  }

  /** The endpoint collects data that must not be recorded. */
  get pausesRecording(): boolean {
    return this.#pausesRecording
  }

  pauseRecording(value: boolean): void {
    this.#pausesRecording = value
    this.#deps.call.pauseRecording(value)
  }

  /** Runs actions in sequence. A hang-up or transfer waits until the turn's speech and streams, and all protected speech, have been heard. */
  async perform(actions: readonly Action[], replied: RepliedEvent): Promise<void> {
    for (const [index, action] of actions.entries()) {
      if (action.type === 'done' || action.type === 'set_variables' || isNote(action)) continue // handled by SessionEndpoint
      const turn = action.turn ?? replied.turn
      if (waitsForSpeech(action) && this.#isSpeaking(turn)) await this.#lastWords({ actions: actions.slice(index), replied }, turn)
      const late = this.#tooLate(action, turn)
      if (late) {
        this.#deps.endpoint.discarded(action.type, { ...replied, turn }, late)
        continue
      }
      if (isSpoken(action)) this.#spokenTurn = Math.max(turn, this.#spokenTurn ?? 0)
      await this.#try(action, replied.eventId, index)
    }
  }

  /** True if the caller still has to hear speech before the end. */
  #isSpeaking(turn: number): boolean {
    return this.#spokenTurn === turn || this.#deps.conversation.protects
  }

  /** The endpoint starts its own audio: a hang-up waits for it as for speech. */
  soundBegins(): void {
    this.#spokenTurn = this.#deps.endpoint.turn
  }

  /** The caller has pressed a key: a hang-up or transfer in answer to it does not wait for the current speech. */
  keyPressed(): void {
    this.#spokenTurn = undefined
  }

  /** Resolves when all speech was played, a later turn began, or the session ended. */
  async finishedSpeaking(turn = Infinity): Promise<void> {
    const { conversation } = this.#deps
    // A caller who barged in may still be speaking: words make it a new turn, a noise does not.
    const goesOn = (): boolean => conversation.speaking || (this.#cut && conversation.callerSpeaks)
    while (!this.#ended && turn >= this.#deps.endpoint.turn && goesOn()) await this.#change()
  }

  /** Resolves when no transfer is pending. False if one succeeded or the session is over. */
  async keepsCaller(): Promise<boolean> {
    while (this.transferring && !this.#ended) await this.#change()
    return !this.#ended
  }

  /** `taken`: the caller is connected to the target. Otherwise the assistant keeps the caller, unless the call is over. */
  transfer(target: string, options: FlowTransfer = {}): Promise<'taken' | TransferFailure> {
    const { call } = this.#deps
    return this.awaitTransfer(target, () => call.transfer(target, options))
  }

  /** Stays silent until the transfer's outcome is known. */
  async awaitTransfer(target: string, transfer: () => Promise<'taken' | TransferFailure>): Promise<'taken' | TransferFailure> {
    const { conversation, timeouts } = this.#deps
    this.#transfers += 1
    conversation.interrupt()
    timeouts.pause()
    const outcome = await transfer().catch((error: unknown): Cause => {
      this.#deps.onFailure(error)
      return 'failed'
    })
    this.#transfers -= 1
    if (outcome === 'taken') {
      this.#transferredTo = target
      this.stop()
      this.#handedOver('transferred')
    } else if (!this.#ended) {
      timeouts.resume()
      this.#deps.onTransferFailed(target, outcome)
      this.changed()
    }
    return outcome
  }

  spoke({ completed }: { completed: boolean }): void {
    this.#cut = !completed
  }

  /** Called at the end of a speech, a caller turn, or a false alarm. */
  changed(): void {
    for (const go of this.#waiting) go()
    this.#waiting.clear()
  }

  stop(): void {
    this.#stopped.abort()
    this.changed()
  }

  async #lastWords(ends: NonNullable<ActionPerformer['ends']>, turn: number): Promise<void> {
    this.#ends = ends
    this.#deps.conversation.sound?.end()
    await this.finishedSpeaking(turn)
    if (this.#ends === ends) this.#ends = undefined
  }

  /** Reason why an action is no longer performed. After a delayed hang-up only earlier streams continue. */
  #tooLate(action: Action, turn: number): 'ended' | 'superseded' | undefined {
    if (this.#ended) return 'ended'
    if (turn < this.#deps.endpoint.turn && !isProtected(action) && action.type !== 'recording') return 'superseded'
    return this.#ends && isSpoken(action) && !this.#isContinued(action) ? 'ended' : undefined
  }

  #isContinued(action: ActionOf<'speak' | 'audio'>): boolean {
    return action.type === 'speak' && action.stream_id !== undefined && this.#deps.conversation.isStreaming(action.stream_id)
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve))
  }

  async #try(action: PerformableAction, eventId: string, index: number): Promise<void> {
    try {
      await this.#do(action, eventId, index)
    } catch (error) {
      this.#deps.onFailure(error)
      this.#deps.endpoint.note(eventId, { index, type: action.type, message: 'could not be done because of a fault in the service' })
    }
  }

  #do(action: PerformableAction, eventId: string, index: number): void | Promise<void> {
    const { conversation, call, timeouts } = this.#deps
    if (this.transferring && excluded.includes(action.type)) {
      const message = 'not done while the caller is being connected with somebody else'
      return this.#deps.endpoint.note(eventId, { index, type: action.type, message })
    }
    switch (action.type) {
      case 'speak':
        timeouts.speaks(action.user_input_timeout_seconds)
        this.#expect(action)
        return conversation.say(action, eventId)
      case 'audio':
        timeouts.speaks(action.user_input_timeout_seconds)
        return conversation.play(action, eventId)
      case 'hangup':
        return call.hangUp('assistant_hangup')
      case 'transfer':
        return this.#handOver(action, eventId, index)
      case 'barge_in':
        return conversation.bargeIn()
      case 'mix_audio':
        return conversation.background(action, eventId)
      case 'configure_transcription':
        return conversation.configure(action, eventId)
      case 'audio_mark':
      case 'audio_clear':
        return this.#attendToSound(action, eventId, index)
      case 'send_dtmf':
        return this.#send(action.digits)
      case 'recording':
        return this.pauseRecording(action.paused)
    }
  }

  #attendToSound(action: ActionOf<'audio_mark' | 'audio_clear'>, eventId: string, index: number): void {
    const { sound } = this.#deps.conversation
    if (!sound) this.#deps.endpoint.note(eventId, { index, type: action.type, message: 'the flow has no sound: set media' })
    else if (action.type === 'audio_mark') sound.mark(action.name)
    else sound.clear()
  }

  #send(digits: string): Promise<void> {
    const sent = this.#keys.then(() => this.#press(digits))
    this.#keys = sent.catch(() => {})
    return sent
  }

  async #press(digits: string): Promise<void> {
    const { clock, leg } = this.#deps
    for (const keys of digits.split(/(w)/)) {
      if (this.#ended) return
      if (keys === 'w') await sleep(clock, keyPauseMs, this.#stopped.signal)
      else if (keys !== '') await leg.audio.sendDtmf(keys)
    }
  }

  /** Later parts of a streamed speech need not repeat the expectation. */
  #expect(action: ActionOf<'speak'>): void {
    const goesOn = action.stream_id !== undefined && action.stream_id === this.#stream
    this.#stream = action.stream_id
    if (!goesOn || action.expects) this.#deps.conversation.expect(action)
  }

  async #handOver(action: ActionOf<'transfer'>, eventId: string, index: number): Promise<void> {
    const { target, caller_id_name: callerName, caller_id_number: callerNumber, summary } = action
    const options = {
      ...(callerName !== undefined && { callerName }),
      ...(callerNumber !== undefined && { callerNumber }),
      ...(summary !== undefined && { summary }),
    }
    const outcome = action.mode === 'warm' ? await this.#handOverWarm(action, eventId, options) : await this.transfer(target, options)
    if (outcome === 'taken' || this.#ended) return
    const hint =
      outcome === 'forbidden' ? ': only what the flow lists in transfer_targets, and neither premium numbers nor rescue services' : ''
    this.#deps.endpoint.note(eventId, { index, type: action.type, message: `target: the call was not taken there (${outcome}${hint})` })
  }

  /** Warm transfer: the target accepts first. */
  #handOverWarm({ target, briefing }: ActionOf<'transfer'>, eventId: string, options: FlowTransfer): Promise<'taken' | TransferFailure> {
    const { call, brief: briefTarget } = this.#deps
    let declined = false
    const brief: Brief = async (leg) => {
      const decision = await briefTarget(leg, { text: briefing, eventId })
      declined = decision === 'declined'
      if (decision === 'accepted') return decision
      return declined ? 'rejected' : 'no_answer'
    }
    return this.awaitTransfer(target, async () => {
      const outcome = await call.transfer(target, { ...options, brief })
      return declined && outcome === 'rejected' ? 'declined' : outcome
    })
  }
}
