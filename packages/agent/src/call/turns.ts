import type { EventOf, Piece, Turn } from '@offhook/sdk/index.ts'
import { sleep } from '../clock.ts'
import { noteOf } from '../notes.ts'
import { citationOf, wordsOf } from '../tools/tools-of.ts'
import { answer, keyOf, menuOf, press, say } from './answer.ts'
import type { AgentCall } from './agent-call.ts'
import { baseOf } from '../texts.ts'

type TurnOf = Turn<AgentCall>

/** Maximum wait for a knowledge look-up, in milliseconds. */
const maxLookUpMs = 1_500

export async function* userSpoke(event: EventOf<'user_speak'>, turn: TurnOf): AsyncGenerator<Piece> {
  const call = turn.state
  const { text } = event
  const summary = call.isConfidential ? { summary: 'digits of a card' } : {} // before the question ends because of this
  call.history.interrupted(event.barged_in ? (event.heard_text ?? '') : undefined)
  call.budget.turn()
  yield* followLanguage(call, text, event.language)
  if (call.takesMessage) {
    yield* keepMessage(call, turn, text)
    return
  }
  call.history.caller(`${await known(call, turn, text)}${call.untrusted.caller(text)}`, summary)
  if (!turn.signal.aborted) yield* answer(call, turn)
}

/** Passages for the question if the settings use knowledge for every question. */
const known = async (call: AgentCall, turn: TurnOf, text: string): Promise<string> => {
  const { settings, deps, untrusted } = call
  const { knowledge } = settings.assistant
  if (knowledge?.use !== 'always' || !settings.assistant.model) return ''
  const over = new AbortController()
  const late = sleep(deps.clock, maxLookUpMs, AbortSignal.any([turn.signal, over.signal])).then(() => [])
  const passages = await Promise.race([deps.host.lookUp(settings.flowId, text, knowledge.passages ?? 4).catch(() => []), late])
  over.abort()
  if (passages.length === 0) return ''
  turn.send(noteOf('knowledge', { version: settings.version, query: call.noted(text), passages: passages.map(citationOf) }))
  return `${untrusted.data(passages.map(wordsOf).join('\n'))}\n`
}

async function* keepMessage(call: AgentCall, turn: TurnOf, text: string): AsyncGenerator<Piece> {
  call.takesMessage = false
  call.history.caller(call.untrusted.caller(text))
  const outcome = await call.deps.host.takeMessage(turn.session.id, { text }).catch(() => ({ refused: '' }))
  yield* say(call, 'done' in outcome ? call.texts.messageTaken : call.texts.messageFailed)
}

export async function* keyPressed({ digit }: EventOf<'dtmf_received'>, turn: TurnOf): AsyncGenerator<Piece> {
  const call = turn.state
  const collected = call.keys.pressed(digit)
  if (collected !== undefined) {
    if (collected === 1) yield { type: 'barge_in' } // a caller who knows the question can skip its end
    return
  }
  const key = keyOf(call, digit)
  if (key) yield* press(call, turn, key)
  else {
    call.interrupt()
    if (call.model) call.history.note(call.untrusted.data(`The caller pressed the key ${digit}.`))
    yield* answer(call, turn)
  }
}

export async function* transferFailed({ target, cause }: EventOf<'transfer_failed'>, turn: TurnOf): AsyncGenerator<Piece> {
  const call = turn.state
  if (!call.model) {
    yield* say(call, `${call.texts.transferFailed} ${menuOf(call)}`.trim())
    return
  }
  const name = call.settings.assistant.tools?.transfer?.find((one) => one.target === target)?.name ?? 'that person'
  call.history.note(call.untrusted.data(`The caller could not be connected with ${name} (${cause}) and is with you again.`))
  yield* answer(call, turn)
}

export const unclear = (_: EventOf<'user_speech_unclear'>, { state }: TurnOf): Piece[] => [...say(state, state.texts.unclear)]

export const nothingSaid = (_: EventOf<'user_input_timeout'>, { state }: TurnOf): Piece[] => [
  ...say(state, (state.model ? '' : menuOf(state)) || state.texts.stillThere),
]

/** Minimum words for a language change: one or two words match any language. */
const minWords = 3

/** Answers in the caller's language if the assistant has it configured. */
function* followLanguage(call: AgentCall, text: string, heard: string | undefined): Generator<Piece> {
  if (heard === undefined || baseOf(heard) === baseOf(call.language)) return
  const { language, assistant } = call.settings
  const known = [...new Set([language, ...(assistant.languages ?? [])])]
  const wanted = known.find((one) => baseOf(one) === baseOf(heard))
  if (wanted === undefined || text.trim().split(/\s+/).length < minWords) return
  call.language = wanted
  yield { type: 'configure_transcription', languages: [wanted, ...known.filter((one) => one !== wanted)].slice(0, 4) }
}
