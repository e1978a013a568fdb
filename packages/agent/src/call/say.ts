import type { Piece } from '@offhook/sdk'
import type { AgentCall } from './agent-call.ts'

/** The voice for the language that is spoken now; nothing, where that is the flow's own. */
export function* inLanguage({ language, settings }: AgentCall): Generator<Piece> {
  if (language !== settings.language) yield { speech: { tts: { language } } }
}

/** A sentence of the assistant's own. */
export function* say(call: AgentCall, text: string): Generator<Piece> {
  const said = call.history.answer()
  said.say(text)
  said.end()
  yield* inLanguage(call)
  yield text
}
