import type { Piece, Turn } from '@offhook/sdk'
import { sleep } from '../clock.ts'
import { noteOf } from '../notes.ts'
import { baseOf } from '../texts.ts'
import type { AgentCall } from './agent-call.ts'
import { say } from './say.ts'

/** A voice that fails must not keep the caller from being greeted. */
const maxDisclosureMs = 30_000

/** First that a machine speaks, to its end; then the greeting, unless the caller has spoken meanwhile. */
export async function* open(call: AgentCall, turn: Turn<AgentCall>): AsyncGenerator<Piece> {
  const { version, language, assistant } = call.settings
  turn.send(noteOf('assistant', { version, ...(call.model && { model: call.model.name }) }))
  const others = assistant.languages ?? []
  if (others.length > 0) yield { type: 'configure_transcription', languages: [...new Set([language, ...others])].slice(0, 4) }
  const disclosure = disclosureOf(call)
  if (disclosure !== undefined) {
    call.history.answer().protect(disclosure)
    yield { type: 'speak', text: disclosure, protect: true }
    const over = new AbortController()
    await Promise.race([turn.spoken(), sleep(call.deps.clock, maxDisclosureMs, AbortSignal.any([over.signal, turn.signal]))])
    over.abort()
  }
  if (!turn.signal.aborted) yield* say(call, assistant.greeting)
}

/** In the language of the flow, if there are words for it. */
export const disclosureOf = ({ settings: { language, assistant }, texts }: AgentCall): string | undefined => {
  const { mode = 'first', text, texts: others = {} } = assistant.disclosure ?? {}
  return mode === 'off' ? undefined : (others[baseOf(language)] ?? text ?? texts.disclosure)
}
