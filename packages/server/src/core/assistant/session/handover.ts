import type { TransferredFrom } from '@offhook/contract/assistant/events.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import type { FlowCall, Handover } from '#core/kernel/ports/assistant.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'
import type { SessionContext } from './assistant-deps.ts'
import type { Said, Spoken } from './conversation.ts'
import { SessionLanguage } from './session-language.ts'
import type { Disclosure } from './write-end.ts'

type Line = TransferredFrom['transcript'][number]

/** The last lines are enough for another assistant; more would cost time and tokens in its every turn. */
const maxLines = 40
const maxLineLength = 300

/** Last lines of a session, as they were heard. Empty after a takeover. */
export class HeardLines {
  #lines: Line[] = []

  said({ text }: Pick<Said, 'text'>): void {
    this.#add('caller', text)
  }

  spoke({ heardText = '', protect }: Pick<Spoken, 'heardText' | 'protect'>): void {
    if (!protect) this.#add('assistant', heardText)
  }

  get lines(): readonly Line[] {
    return this.#lines
  }

  #add(by: Line['by'], text: string): void {
    const line = text.trim()
    if (line === '') return
    this.#lines.push({ by, text: line.length > maxLineLength ? `${line.slice(0, maxLineLength - 1)}…` : line })
    if (this.#lines.length > maxLines) this.#lines.shift()
  }
}

/** State of the session that another assistant continues. */
export interface KnownHere {
  session: Session
  heard: HeardLines
  language: string
  disclosure: Pick<Disclosure, 'isHeard'>
}

/** What another assistant gets with the caller. */
export const handoverOf = (
  { call, flow }: Pick<SessionContext, 'call' | 'flow'>,
  { session, heard, language, disclosure }: KnownHere,
  summary: string | undefined,
): Handover => ({
  flow_id: flow.id,
  session_id: session.id,
  language,
  disclosed: disclosure.isHeard || call.transferredFrom?.disclosed === true,
  transcript: [...heard.lines],
  ...(summary !== undefined && { summary }),
  variables: session.variables,
})

/** After a transfer an assistant begins in the caller's language, if it expects it. */
export const languageOf = (
  { language, transferredFrom: before }: Pick<FlowCall, 'language' | 'transferredFrom'>,
  { language: own = language, stt }: FlowSettings,
): SessionLanguage => {
  const expected = stt?.languages ?? [own]
  const session = new SessionLanguage(own, stt?.languages)
  session.resume(before && expected.find((one) => mainLanguage(one) === mainLanguage(before.language)))
  return session
}
