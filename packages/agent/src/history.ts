import type { CalledTool, ChatMessage } from './model/messages.ts'

type SpeechState = 'open' | 'whole' | 'cut' | 'unheard'

/** One speech without a break. */
interface Speech {
  text: string
  heard: string
  state: SpeechState
  ended: boolean
  /** Cannot be interrupted. */
  protected: boolean
}

interface Called extends CalledTool {
  result: string | undefined
}

type Entry = { role: 'user' | 'note'; content: string; summary?: string } | AnswerEntry
interface AnswerEntry {
  role: 'assistant'
  speeches: Speech[]
  calls: Called[]
}

const unfinished = 'The caller went on before this was finished.'

/** About 12,000 tokens; the oldest entries are dropped first. */
const maxCharacters = 48_000

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Conversation as the model sees it: only the assistant's words that the caller has heard. */
export class History {
  readonly #entries: Entry[] = []
  readonly #system: () => string
  /** Number of speeches that had ended when the caller last spoke. */
  #settled = 0

  constructor(system: () => string) {
    this.#system = system
  }

  get hasCaller(): boolean {
    return this.#entries.some(({ role }) => role === 'user')
  }

  /** Adds an event as caller text: some servers reject system messages after the first. */
  note(content: string): void {
    this.#entries.push({ role: 'note', content })
  }

  /** `summary`: in its place for a summary. */
  caller(content: string, { summary }: { summary?: string } = {}): void {
    this.#entries.push({ role: 'user', content, ...(summary !== undefined && { summary }) })
  }

  /** Starts a new answer entry. */
  answer(): Said {
    const entry: AnswerEntry = { role: 'assistant', speeches: [], calls: [] }
    this.#entries.push(entry)
    return new Said(entry)
  }

  /** Marks a speech as played. `heard`: the heard part if it was cut off. */
  sounded(text: string, heard: string | undefined): void {
    const words = plain(text)
    for (const speech of this.#speeches()) {
      if (speech.state !== 'open') continue
      const rest = plain(plain(speech.text).slice(speech.heard.length))
      // A speech that pauses too long is reported in two parts.
      if (!rest.startsWith(words) && !(speech.ended && words.startsWith(rest))) continue
      speech.heard = plain(`${speech.heard} ${heard ?? words}`)
      if (heard !== undefined) speech.state = 'cut'
      else if (rest.length <= words.length && speech.ended) speech.state = 'whole'
      return
    }
  }

  /** The caller has spoken: unplayed speech will never sound. `heard`: the heard part of the interrupted speech. */
  interrupted(heard: string | undefined): void {
    const speeches = [...this.#speeches()]
    if (heard !== undefined) cutOff(speeches.slice(this.#settled), plain(heard))
    this.#settled = speeches.length
    for (const speech of speeches)
      if (speech.state === 'open' && !speech.protected)
        speech.state = speech.heard === '' ? 'unheard' : speech.heard === plain(speech.text) ? 'whole' : 'cut'
  }

  messages(): ChatMessage[] {
    const kept: ChatMessage[][] = []
    const system: ChatMessage = { role: 'system', content: this.#system() }
    let left = maxCharacters
    for (const entry of this.#entries.toReversed()) {
      const messages = messagesOf(entry)
      left -= JSON.stringify(messages).length
      if (left < 0 && kept.length > 0) break
      kept.push(messages)
    }
    return [system, ...joined(kept.toReversed().flat())]
  }

  /** Transcript for a summary; `bare` leaves out the arguments of tools. */
  transcript({ bare = false } = {}): string {
    return this.#entries
      .map((entry) => {
        if (entry.role !== 'assistant') return entry.role === 'user' ? `Caller: ${entry.summary ?? entry.content}` : ''
        const used = entry.calls.map(({ name, arguments: given }) => `\nAssistant used ${name}${bare ? '' : ` ${given}`}`).join('')
        const said = learnedOf(entry)
        return `${said === '' ? '' : `Assistant: ${said}`}${used}`
      })
      .filter((line) => line !== '')
      .join('\n')
  }

  *#speeches(): Generator<Speech> {
    for (const entry of this.#entries) if (entry.role === 'assistant') yield* entry.speeches
  }
}

/** Finds the speech that was sounding when the caller spoke: the last one known to be cut, or the first not known to have ended. */
const cutOff = (speeches: readonly Speech[], heard: string): void => {
  const sounding =
    speeches.findLast(({ state }) => state === 'cut') ??
    speeches.find(({ state, text }) => state === 'open' && plain(text).startsWith(heard)) ??
    speeches.findLast(({ state, text }) => state === 'whole' && plain(text).startsWith(heard))
  if (!sounding || !plain(sounding.text).startsWith(heard)) return
  sounding.heard = heard
  sounding.state = heard === '' ? 'unheard' : heard === plain(sounding.text) ? 'whole' : 'cut'
}

const learnedOf = ({ speeches }: AnswerEntry): string =>
  speeches
    .map(({ text, heard, state }) => (state === 'unheard' ? '' : state === 'cut' ? `${heard}…` : plain(text)))
    .filter((text) => text !== '' && text !== '…')
    .join(' ')

const messagesOf = (entry: Entry): ChatMessage[] => {
  if (entry.role !== 'assistant') return [{ role: 'user', content: entry.content }]
  const content = learnedOf(entry)
  if (entry.calls.length === 0) return content === '' ? [] : [{ role: 'assistant', content }]
  const tool_calls = entry.calls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: given },
  }))
  const results = entry.calls.map(({ id, result = unfinished }) => ({ role: 'tool' as const, tool_call_id: id, content: result }))
  return [{ role: 'assistant', content: content === '' ? null : content, tool_calls }, ...results]
}

/** Some servers require user and assistant messages to alternate. */
const joined = (messages: readonly ChatMessage[]): ChatMessage[] => {
  const all: ChatMessage[] = []
  for (const message of messages) {
    const last = all.at(-1)
    if (last?.role === 'user' && message.role === 'user')
      all[all.length - 1] = { role: 'user', content: `${last.content}\n${message.content}` }
    else all.push(message)
  }
  return all
}

/** One answer while it is being spoken. */
export class Said {
  readonly #entry: AnswerEntry

  constructor(entry: AnswerEntry) {
    this.#entry = entry
  }

  say(text: string): void {
    const last = this.#entry.speeches.at(-1)
    if (last && !last.ended) last.text += text
    else if (text.trim() !== '') this.#entry.speeches.push({ text, heard: '', state: 'open', ended: false, protected: false })
  }

  /** Adds a whole speech that the caller cannot interrupt. */
  protect(text: string): void {
    this.#entry.speeches.push({ text, heard: '', state: 'open', ended: true, protected: true })
  }

  /** Ends the current speech; later text starts a new one. */
  end(): void {
    const last = this.#entry.speeches.at(-1)
    if (!last || last.ended) return
    last.ended = true
    if (last.state === 'open' && last.heard !== '' && last.heard === plain(last.text)) last.state = 'whole'
  }

  called(calls: readonly CalledTool[]): void {
    this.#entry.calls = calls.map(({ id, name, arguments: given }) => ({ id, name, arguments: readable(given), result: undefined }))
  }

  result(id: string, content: string): void {
    const call = this.#entry.calls.find((one) => one.id === id)
    if (call) call.result = content
  }
}

/** Servers reject a history with tool arguments that are not JSON. */
const readable = (given: string): string => {
  try {
    JSON.parse(given)
    return given
  } catch {
    return '{}'
  }
}
