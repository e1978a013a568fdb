import type { Piece } from '@offhook/sdk'
import { baseOf } from '../texts.ts'
import type { AgentCall } from './agent-call.ts'

/** A word or two may be taken for any language. */
const minWords = 3

/** Who speaks another language that the assistant knows is answered in it. */
export function* followLanguage(call: AgentCall, text: string, heard: string | undefined): Generator<Piece> {
  if (heard === undefined || baseOf(heard) === baseOf(call.language)) return
  const { language, assistant } = call.settings
  const known = [...new Set([language, ...(assistant.languages ?? [])])]
  const wanted = known.find((one) => baseOf(one) === baseOf(heard))
  if (wanted === undefined || text.trim().split(/\s+/).length < minWords) return
  call.language = wanted
  yield { type: 'configure_transcription', languages: [wanted, ...known.filter((one) => one !== wanted)].slice(0, 4) }
}
