import type { ModelSettings, AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Piece, SpeechFields, Turn } from '@offhook/sdk/index.ts'
import { type Limit, TopicGuard } from '../guard.ts'
import type { Claim } from '../claims/claim-in.ts'
import { ClaimGuard } from '../claims/claim-guard.ts'
import type { Said } from '../history.ts'
import { tokensOf, type CalledTool, type ChatRequest, type Completion } from '../model/messages.ts'
import { noteOf } from '../notes.ts'
import { citationOf } from '../tools/tools-of.ts'
import { runTools, type RanTool } from '../tools/run-tools.ts'
import type { ToolContext } from '../tools/tool.ts'
import type { AgentCall } from './agent-call.ts'
import { ask } from '../model/chat-completions.ts'
import { Speakable } from '../speakable.ts'

/** Speaks the model's answer and runs the tools it calls until it has no more to do. */
export async function* answer(call: AgentCall, turn: Turn<AgentCall>): AsyncGenerator<Piece> {
  const { model } = call
  if (model) yield* answerWith(model, call, turn)
  else yield* say(call, menuOf(call) || call.failedText)
}

async function* answerWith(model: ModelSettings, call: AgentCall, turn: Turn<AgentCall>): AsyncGenerator<Piece> {
  yield* inLanguage(call)
  const signal = AbortSignal.any([turn.signal, call.interruption])
  let corrected = false
  for (let round = 0; ; round++) {
    const messages = call.history.messages()
    const limit = call.budget.exceeded(tokensOf(JSON.stringify(messages)) + (model.max_tokens ?? 300))
    if (limit) {
      yield* endFor(call, turn, limit)
      return
    }
    const said = call.history.answer()
    const mayCall = round < call.budget.toolRounds
    const step = yield* speakAnswer(call, turn, { model, request: { messages, tools: mayCall ? call.tools : [] }, said, signal })
    said.end()
    if (!step) return
    const { completion, held } = step
    if (completion.calls.length === 0) {
      if (!held) return
      if (!corrected) {
        corrected = true
        askForTruth(call, held)
        continue
      }
      yield* instead(call.history.answer(), call.texts.notDone)
      return
    }
    // Speaks the text before a tool call immediately instead of after the tool's answer.
    yield { flush: true }
    if (!mayCall) {
      if (completion.text.trim() === '') yield* say(call, call.failedText)
      return
    }
    if (completion.text.trim() === '') yield* beforeTexts(call, said, completion.calls)
    const end = endOf(await useTools(call, turn, said, completion.calls, signal), said)
    if (signal.aborted) return
    if (!end) continue
    if (held) yield* sayAfterDeed(call, turn, held)
    yield end
    return
  }
}

interface Held {
  claim: Claim
  text: string
}

/** The model learns what was done, and may do it now or say that it is not done. */
const askForTruth = (call: AgentCall, { claim }: Held): void => {
  const done = call.receipts.tools.join(', ') || 'none'
  call.history.note(
    call.untrusted.data(
      `Not said, because no tool has done it in this call: “${claim.sentence}” Tools that succeeded: ${done}. ` +
        'Use the right tool now, or say honestly that it is not done.',
    ),
  )
}

/** The call ends next: the claim is said if its tool has just succeeded, otherwise the honest sentence. */
async function* sayAfterDeed(call: AgentCall, turn: Turn<AgentCall>, { claim, text }: Held): AsyncGenerator<Piece> {
  const isDone = noteClaim(call, turn, claim)
  yield* instead(call.history.answer(), isDone ? text : call.texts.notDone)
  yield { flush: true }
}

/** Returns whether a tool has done it. */
const noteClaim = (call: AgentCall, turn: Turn<AgentCall>, claim: Claim): boolean => {
  const receipt = call.receipts.covering(claim)
  const of = receipt && { receipt: receipt.tool, receiptTurn: receipt.turn }
  const verdict = receipt ? 'covered' : 'stopped'
  turn.send(noteOf('claim', { version: call.settings.version, sentence: call.noted(claim.sentence), verdict, ...of }))
  return receipt !== undefined
}

function* endFor(call: AgentCall, turn: Turn<AgentCall>, limit: Limit): Generator<Piece> {
  turn.send(noteOf('assistant', { version: call.settings.version, limit }))
  yield lastWords(call, call.settings.assistant.limits?.text ?? call.texts.limit)
  yield { type: 'hangup' }
}

/** A caller who interrupts what ends the call gets no other answer, and would keep the call alive. */
const lastWords = (call: AgentCall, text: string): Piece => {
  call.history.answer().protect(text)
  return { type: 'speak', text, protect: true, ...(call.language !== call.settings.language && { tts: { language: call.language } }) }
}

function* beforeTexts(call: AgentCall, said: Said, calls: readonly CalledTool[]): Generator<Piece> {
  const text = call.tools.find(({ name, beforeText }) => beforeText !== undefined && calls.some((one) => one.name === name))?.beforeText
  if (text === undefined) return
  said.say(text)
  said.end()
  yield text
  yield { flush: true }
}

const useTools = async (
  call: AgentCall,
  turn: Turn<AgentCall>,
  said: Said,
  calls: readonly CalledTool[],
  signal: AbortSignal,
): Promise<RanTool[]> => {
  said.called(calls)
  const contextOf = ({ id }: CalledTool): ToolContext => ({
    signal,
    session: call.session,
    turn: turn.turn,
    callId: `${turn.turn}-${id}`,
    say: (text: string, fields: SpeechFields) => {
      said.say(text)
      said.end()
      turn.send({ type: 'speak', text, ...fields, ...(call.language !== call.settings.language && { tts: { language: call.language } }) })
    },
    listens: () => turn.send({ type: 'done' }),
    spoken: turn.spoken,
    confidential: (work) => call.confidential(work, turn.send),
  })
  const ran = await runTools(calls, call.tools, contextOf, () => call.deps.clock.elapsed())
  for (const one of ran) {
    const tool = call.tools.find(({ name }) => name === one.call.name)
    if (tool && one.run.status === 'ok') call.receipts.add(tool, turn.turn)
    note(call, turn, one)
  }
  // For interrupted tools the model gets the interruption, not the result.
  if (!signal.aborted) for (const { call: one, run } of ran) said.result(one.id, call.untrusted.data(wordsOf(run.content)))
  return ran
}

const wordsOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content))

const note = (agent: AgentCall, turn: Turn<AgentCall>, { call, run, ms }: RanTool): void => {
  const { version } = agent.settings
  const { status, content, request, response, passages } = run
  const bytes = {
    ...(request !== undefined && { request: agent.noted(request) }),
    ...(response !== undefined && { response: agent.noted(response) }),
  }
  const answered = response === undefined && !passages ? { response: agent.noted(wordsOf(content)) } : {}
  const query = agent.noted(call.arguments)
  turn.send(noteOf('tool', { version, name: call.name, arguments: query, status, ms, ...bytes, ...answered }))
  if (passages) turn.send(noteOf('knowledge', { version, query, passages: passages.map(citationOf) }))
}

/** Ends or transfers the call only if every other tool call succeeded. */
const endOf = (ran: readonly RanTool[], said: Said): RanTool['run']['end'] => {
  const ends = ran.filter(({ run }) => run.end)
  if (ends.length === 0 || ran.every(({ run }) => run.status === 'ok')) return ends[0]?.run.end
  for (const { call } of ends) said.result(call.id, 'Not done, because something else failed. Tell the caller first.')
  return undefined
}

/** Consecutive failures after which the caller hears the key menu. */
const failuresBeforeMenu = 2

interface Asking {
  model: ModelSettings
  request: ChatRequest
  said: Said
  signal: AbortSignal
}

/** Streams one model answer as speech. Returns undefined when another text replaced it and the turn is over. */
async function* speakAnswer(
  call: AgentCall,
  turn: Turn<AgentCall>,
  { model, request, said, signal }: Asking,
): AsyncGenerator<Piece, { completion: Completion; held: Held | undefined } | undefined> {
  const filter = new Filter(call, said, (claim) => noteClaim(call, turn, claim))
  const onAttempt: Parameters<typeof ask>[3]['onAttempt'] = (attempt, one) => call.attempted(attempt, one, turn.send)
  const words = ask(call.deps, model, request, { signal, onAttempt })
  try {
    let step = await words.next()
    for (; !step.done && filter.forbidden === undefined; step = await words.next()) yield* filter.put(step.value)
    if (step.done) yield* filter.end()
    else yield* filter.cutOff()
    if (filter.forbidden !== undefined) return yield* instead(said, call.settings.assistant.topics?.text ?? call.texts.forbidden)
    if (!step.done) return undefined
    call.failures = 0
    // An answer without speakable text and without tool calls must not leave the caller in silence.
    const { silent, held } = filter
    return silent && !held && step.value.calls.length === 0 ? yield* instead(said, call.failedText) : { completion: step.value, held }
  } catch {
    if (signal.aborted) return undefined
    yield* filter.breakOff()
    call.failures += 1
    const menu = call.failures >= failuresBeforeMenu ? menuOf(call) : ''
    return yield* instead(said, `${call.failedText} ${menu}`.trim())
  } finally {
    await words.return(undefined as never)
  }
}

/** Speaks a separate speech, so that two halves do not become one sentence. */
async function* instead(said: Said, text: string): AsyncGenerator<Piece, undefined> {
  said.end()
  yield { flush: true }
  said.say(text)
  said.end()
  yield text
  return undefined
}

/** Filters model output down to the text that may be spoken. */
class Filter {
  silent = true
  readonly #said: Said
  readonly #voice = new Speakable()
  readonly #topics: TopicGuard
  readonly #claims: ClaimGuard

  constructor(call: AgentCall, said: Said, isCovered: (claim: Claim) => boolean) {
    this.#said = said
    this.#topics = new TopicGuard(call.settings.assistant.topics)
    this.#claims = new ClaimGuard({ language: call.language, isCovered })
  }

  /** A claim that no tool covers, and the text from it on. */
  get held(): Held | undefined {
    return this.#claims.held
  }

  get forbidden(): string | undefined {
    return this.#topics.forbidden
  }

  put(words: string): Generator<Piece> {
    return this.#speak(this.#claims.put(this.#topics.put(this.#voice.put(words))))
  }

  *end(): Generator<Piece> {
    yield* this.#speak(this.#claims.put(this.#topics.put(this.#voice.end())))
    yield* this.#speak(this.#claims.put(this.#topics.end()))
    yield* this.#speak(this.#claims.end())
  }

  /** Nothing of the rest is allowed; what was, is said. */
  cutOff(): Generator<Piece> {
    return this.#speak(this.#claims.end())
  }

  /** Keeps the last word only if it ends a sentence; any other may be half a word. */
  *breakOff(): Generator<Piece> {
    const rest = this.#voice.end()
    yield* this.#speak(this.#claims.put(/[.!?…]["'”’)]*\s*$/.test(rest) ? this.#topics.put(`${rest} `) : ''))
    yield* this.cutOff()
  }

  *#speak(text: string): Generator<Piece> {
    if (text === '') return
    if (text.trim() !== '') this.silent = false
    this.#said.say(text)
    yield text
  }
}

type Key = NonNullable<AssistantSettings['keys']>[number]

/** Spoken key menu; empty without keys. */
export const menuOf = ({ settings: { assistant }, texts }: AgentCall): string => {
  const what = ({ does, transfer_to = '' }: Key): string => {
    if (does === 'transfer') return texts.toTransfer(transfer_to.replaceAll('_', ' '))
    if (does === 'take_message') return texts.toMessage
    return does === 'hang_up' ? texts.toHangUp : texts.toInformation
  }
  return (assistant.keys ?? []).map((key) => texts.press(key.digit, what(key))).join(' ')
}

export const keyOf = ({ settings: { assistant } }: AgentCall, digit: string): Key | undefined =>
  assistant.keys?.find((key) => key.digit === digit)

/** Runs the key's action and interrupts the current speech. Works without a model. */
export function* press(call: AgentCall, turn: Turn<AgentCall>, { digit, does, text, transfer_to }: Key): Generator<Piece> {
  call.interrupt()
  turn.send(noteOf('assistant', { version: call.settings.version, key: call.noted(digit), does }))
  yield { type: 'barge_in' }
  const words = text ?? (does === 'take_message' ? call.texts.leaveMessage : undefined)
  if (words !== undefined) yield* say(call, words)
  if (does === 'take_message') call.takesMessage = true
  if (does === 'hang_up') yield { type: 'hangup' }
  if (does === 'transfer') yield* transferTo(call, transfer_to)
}

function* transferTo(call: AgentCall, name: string | undefined): Generator<Piece> {
  const target = call.settings.assistant.tools?.transfer?.find((one) => one.name === name)
  if (target) yield { type: 'transfer', target: target.target, ...(target.mode && { mode: target.mode }) }
  else yield* say(call, call.texts.transferFailed)
}

/** Selects the voice for the current language; yields nothing for the flow's own language. */
function* inLanguage({ language, settings }: AgentCall): Generator<Piece> {
  if (language !== settings.language) yield { speech: { tts: { language } } }
}

/** Speaks a sentence that the model did not write. */
export function* say(call: AgentCall, text: string): Generator<Piece> {
  const said = call.history.answer()
  said.say(text)
  said.end()
  yield* inLanguage(call)
  yield text
}
