import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Piece, Turn } from '@offhook/sdk'
import { noteOf } from '../notes.ts'
import type { AgentCall } from './agent-call.ts'
import { say } from './say.ts'

type Key = NonNullable<AssistantSettings['keys']>[number]

/** What the keys do, in words; empty: there are none. */
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

/** Does what the key is for, whatever was being said. Works without a model. */
export function* press(call: AgentCall, turn: Turn<AgentCall>, { digit, does, text, transfer_to }: Key): Generator<Piece> {
  call.interrupt()
  turn.send(noteOf('assistant', { version: call.settings.version, key: digit, does }))
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
