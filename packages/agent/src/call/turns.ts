import type { EventOf, Piece, Turn } from '@offhook/sdk'
import { sleep } from '../clock.ts'
import { noteOf } from '../notes.ts'
import { citationOf, wordsOf } from '../tools/look-up.ts'
import { answer } from './answer.ts'
import type { AgentCall } from './agent-call.ts'
import { keyOf, menuOf, press } from './keys.ts'
import { followLanguage } from './languages.ts'
import { say } from './say.ts'

type TurnOf = Turn<AgentCall>

/** Longer nobody waits for what may be known about it. */
const maxLookUpMs = 1_500

export async function* userSpoke(event: EventOf<'user_speak'>, turn: TurnOf): AsyncGenerator<Piece> {
  const call = turn.state
  const { text } = event
  call.history.interrupted(event.barged_in ? (event.heard_text ?? '') : undefined)
  call.budget.turn()
  yield* followLanguage(call, text, event.language)
  if (call.takesMessage) {
    yield* keepMessage(call, turn, text)
    return
  }
  call.history.caller(`${await known(call, turn, text)}${call.untrusted.caller(text)}`)
  if (!turn.signal.aborted) yield* answer(call, turn)
}

/** What the documents say about it, where the settings want that for every question. */
const known = async ({ settings, deps, untrusted }: AgentCall, turn: TurnOf, text: string): Promise<string> => {
  const { knowledge } = settings.assistant
  if (knowledge?.use !== 'always' || !settings.assistant.model) return ''
  const over = new AbortController()
  const late = sleep(deps.clock, maxLookUpMs, AbortSignal.any([turn.signal, over.signal])).then(() => [])
  const passages = await Promise.race([deps.host.lookUp(settings.flowId, text, knowledge.passages ?? 4).catch(() => []), late])
  over.abort()
  if (passages.length === 0) return ''
  turn.send(noteOf('knowledge', { version: settings.version, query: text, passages: passages.map(citationOf) }))
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
    if (collected === 1) yield { type: 'barge_in' } // who knows the question need not hear it to its end
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
