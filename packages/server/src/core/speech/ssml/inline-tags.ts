import { readBreak } from './script.ts'

/** `flush`: say the text before it now. */
type InlinePart = { kind: 'text'; text: string } | { kind: 'silence'; ms: number } | { kind: 'flush' }

const maxTagLength = 100
/** Tags that language models write into plain text, as other systems teach them. Everything else is text: "2 < 3". */
const tag = /<(\/?)(break|flush)((?:\s[^<>]{0,80}|\/)?)>/gi
const perhapsTag = /^<\/?(?:b(?:r(?:e(?:ak?)?)?)?|f(?:l(?:u(?:sh?)?)?)?|(?:break|flush)(?:\s[^<>]*|\/))?$/i
const time = /\stime\s{0,3}=\s{0,3}["']?([^"'\s/]{1,12})/i
const strength = /\sstrength\s{0,3}=\s{0,3}["']?([\w-]{1,12})/i
/** All pauses of one text together. */
const maxPauseMs = 60_000

/** Reads `<break time="1s"/>` and `<flush/>` in plain text, which may arrive in chunks that end in a tag. */
export class InlineTags {
  #rest = ''
  #pauseMs = 0

  feed(text: string): InlinePart[] {
    const all = this.#rest + text
    const at = all.lastIndexOf('<')
    const held = at >= 0 && all.length - at <= maxTagLength && perhapsTag.test(all.slice(at)) ? at : all.length
    this.#rest = all.slice(held)
    return this.#read(all.slice(0, held))
  }

  /** A text without later chunks. */
  static read(text: string): InlinePart[] {
    return new InlineTags().#read(text)
  }

  /** The rest at the end of the text. */
  flush(): InlinePart[] {
    const rest = this.#rest
    this.#rest = ''
    return rest === '' ? [] : [{ kind: 'text', text: rest }]
  }

  #read(text: string): InlinePart[] {
    const parts: InlinePart[] = []
    let from = 0
    const upTo = (end: number): void => {
      if (end > from) parts.push({ kind: 'text', text: text.slice(from, end) })
    }
    for (const { index, 0: whole, 1: closing, 2: name = '', 3: attributes = '' } of text.matchAll(tag)) {
      upTo(index)
      from = index + whole.length
      if (closing !== '') continue
      if (name.toLowerCase() === 'flush') parts.push({ kind: 'flush' })
      else parts.push({ kind: 'silence', ms: this.#pause(attributes) })
    }
    upTo(text.length)
    return parts
  }

  #pause(attributes: string): number {
    const asked = readBreak(time.exec(attributes)?.[1], strength.exec(attributes)?.[1]) ?? readBreak(undefined, undefined) ?? 0
    const ms = Math.round(Math.min(asked, maxPauseMs - this.#pauseMs))
    this.#pauseMs += ms
    return ms
  }
}
