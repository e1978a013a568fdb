import { SaxesParser } from 'saxes'
import type { WordInIpa } from '#core/kernel/ports/speech.ts'
import { ScriptWriter, type ProsodyStyle, type Script, changed, emphasisOf, readBreak, readPitch, readRate, readVolume } from './script.ts'
import { sayAmount, sayDigits } from '../text-normalization/numbers-in-text.ts'
import { spell } from '../text-normalization/codes-in-text.ts'
import { spokenText, wordingOf } from '../text-normalization/spoken-text.ts'
import { calendarDate, type Wording } from '../text-normalization/wording.ts'

const maxElements = 1_000
const deepest = 32
const maxProblems = 20

/** Rejected document: malformed, too large, or with constructs that speech does not need. */
export class UnreadableDocument extends Error {}

interface ReadDocument {
  script: Script
  problems: string[]
  sounds?: true
}

/** Accepts only the five XML entities; rejects declarations and instructions. Throws UnreadableDocument. */
export const readDocument = (document: string, prosody: ProsodyStyle): ReadDocument => {
  const reader = new DocumentReader(prosody)
  const parser = new SaxesParser({ xmlns: false })
  parser.on('error', (error) => refuse(error.message))
  parser.on('doctype', () => refuse('a DOCTYPE is not allowed'))
  parser.on('processinginstruction', () => refuse('processing instructions are not allowed'))
  parser.on('opentag', ({ name, attributes }) => reader.open(name, attributes))
  parser.on('text', (text) => reader.text(text))
  parser.on('cdata', (text) => reader.text(text))
  parser.on('closetag', () => reader.close())
  parser.write(document).close()
  return reader.result()
}

const refuse = (reason: string): never => {
  throw new UnreadableDocument(reason)
}

class DocumentReader {
  readonly #page: Page
  readonly #problems = new Set<string>()
  readonly #writer = new ScriptWriter()
  readonly #words: WordInIpa[] = []
  readonly #manner: ProsodyStyle
  readonly #frames: { frame: Frame; element: Element }[] = []
  #elements = 0
  #sounds = false

  constructor(prosody: ProsodyStyle) {
    this.#manner = prosody
    this.#page = { writer: this.#writer, words: this.#words, note: (problem) => this.#note(problem) }
  }

  open(name: string, attributes: Record<string, string>): void {
    if (++this.#elements > maxElements) refuse(`there are more than ${maxElements} elements`)
    if (this.#frames.length >= deepest) refuse(`elements are nested more than ${deepest} deep`)
    const parent = this.#frames.at(-1)?.frame
    if (!parent && name !== 'speak') refuse('the outermost element is not <speak>')
    const frame: Frame = { name, attributes, manner: { ...(parent?.manner ?? this.#manner) } }
    const element = this.#elementFor(name)
    this.#frames.push({ frame, element })
    // Elements inside a collected one contribute only their text.
    if (parent?.collected === undefined) element.open?.(frame, this.#page)
    else frame.collected = ''
  }

  text(text: string): void {
    const frame = this.#frames.at(-1)?.frame
    if (!frame) return
    if (frame.collected === undefined) this.#writer.text(text, frame.manner)
    else frame.collected += text
  }

  close(): void {
    const { frame, element } = this.#frames.pop() ?? {}
    const parent = this.#frames.at(-1)?.frame
    if (!frame || !element) return
    if (parent?.collected === undefined) element.close?.(frame, this.#page)
    else parent.collected += frame.collected ?? ''
  }

  result(): ReadDocument {
    const ipa = this.#words
    const script =
      ipa.length === 0 ? this.#writer.script() : this.#writer.script().map((piece) => (piece.kind === 'text' ? { ...piece, ipa } : piece))
    return { script, problems: [...this.#problems], ...(this.#sounds && { sounds: true }) }
  }

  #elementFor(name: string): Element {
    const nested = name === 'audio' && this.#frames.some(({ frame }) => frame.name === 'audio')
    this.#sounds ||= name === 'audio'
    const known = Object.hasOwn(elements, name) && !nested ? elements[name] : undefined
    if (!known) this.#note(`<${name.slice(0, 40)}>${nested ? ' inside of <audio>' : ''} is not known; its text is said`)
    return known ?? {}
  }

  #note(problem: string): void {
    if (this.#problems.size < maxProblems) this.#problems.add(problem)
  }
}

/** Open element. */
interface Frame {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  manner: ProsodyStyle
  /** Collected text that is not spoken, or not unchanged. */
  collected?: string
}

interface Page {
  writer: ScriptWriter
  words: WordInIpa[]
  note: (problem: string) => void
}

/** Handlers for the start and the end of an element. */
interface Element {
  open?(frame: Frame, page: Page): void
  close?(frame: Frame, page: Page): void
}

const wellFormedLanguage = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/
const maxNameLength = 100
const maxUrlLength = 2_000

const setLanguage: Element = {
  open({ name, attributes, manner: style }, { note }) {
    const wanted = attributes['xml:lang'] ?? attributes['lang']
    if (wanted === undefined) return
    if (wellFormedLanguage.test(wanted)) style.language = wanted
    else note(`<${name}>: xml:lang is not a language such as en-US`)
  },
}

const block = (paragraph: boolean): Element => ({
  open(frame, page) {
    setLanguage.open?.(frame, page)
    page.writer.apart(paragraph)
  },
  close: (_, { writer }) => writer.apart(paragraph),
})

const voice: Element = {
  open(frame, page) {
    setLanguage.open?.(frame, page)
    const { name } = frame.attributes
    if (name && name.length <= maxNameLength) frame.manner.voice = name
  },
}

const pause: Element = {
  open({ attributes }, { writer, note }) {
    const ms = readBreak(attributes['time'], attributes['strength'])
    if (ms === undefined) note('<break>: time is not like 500ms or 2s, or strength is unknown')
    else if (!writer.silence(ms)) note('<break>: all pauses together are at most 60 s; the rest is left out')
  },
}

const prosody: Element = {
  open(frame, { note }) {
    const read = (attribute: string, reader: (written: string) => number | undefined): number | undefined => {
      const written = frame.attributes[attribute]
      const value = written === undefined ? undefined : reader(written)
      if (written !== undefined && value === undefined) note(`<prosody>: ${attribute} is not understood`)
      return value
    }
    const speed = read('rate', readRate)
    const pitch = read('pitch', readPitch)
    const gainDb = read('volume', readVolume)
    frame.manner = changed(frame.manner, {
      ...(speed !== undefined && { speed }),
      ...(pitch !== undefined && { pitch }),
      ...(gainDb !== undefined && { gainDb }),
    })
  },
}

const emphasis: Element = {
  open(frame, { note }) {
    const change = emphasisOf(frame.attributes['level'])
    if (change) frame.manner = changed(frame.manner, change)
    else note('<emphasis>: level is strong, moderate, none or reduced')
  },
}

const sayAsElement: Element = {
  open(frame, { note }) {
    const as = frame.attributes['interpret-as'] ?? ''
    if (knowsSayAs(as)) frame.collected = ''
    else note('<say-as>: interpret-as is unknown; its text is said as it is')
  },
  close({ attributes, manner: style, collected }, { writer }) {
    if (collected === undefined) return
    const input = { as: attributes['interpret-as'] ?? '', format: attributes['format'], language: style.language, before: writer.lastWords }
    writer.text(sayAs(collected, input), style)
  },
}

const sub: Element = {
  open(frame, { writer, note }) {
    const { alias } = frame.attributes
    if (alias === undefined) return note('<sub>: alias is missing')
    frame.collected = ''
    writer.text(alias, frame.manner)
  },
}

const maxIpaLength = 100
const maxWords = 200

/** The same word elsewhere in the document sounds the same. */
const phoneme: Element = {
  open(frame, { note }) {
    const { alphabet = 'ipa', ph = '' } = frame.attributes
    if (alphabet !== 'ipa') note('<phoneme>: alphabet is not ipa; its text is said as it is')
    else if (ph.trim() === '' || ph.length > maxIpaLength) note(`<phoneme>: ph is missing or longer than ${maxIpaLength} characters`)
    else frame.collected = ''
  },
  close({ attributes, manner, collected }, { writer, words, note }) {
    if (collected === undefined) return
    const word = collected.trim()
    if (words.length >= maxWords) note(`<phoneme>: at most ${maxWords} words have a pronunciation; the rest is said as it is`)
    else if (word !== '') words.push({ word, ipa: (attributes['ph'] ?? '').trim() })
    writer.text(collected, manner)
  },
}

const silent: Element = { open: (frame) => void (frame.collected = '') }

const audio: Element = {
  open: (_, { writer }) => writer.beginAlternative(),
  close({ attributes, manner: style }, { writer, note }) {
    const url = attributes['src'] ?? ''
    const usable = /^https?:\/\//i.test(url) && url.length <= maxUrlLength
    if (!usable) note('<audio>: src is not an http or https address; what stands in it is said instead')
    writer.endAlternative(usable ? url : undefined, style.gainDb)
  },
}

const mark: Element = {
  open({ attributes }, { writer }) {
    if (attributes['name']) writer.mark(attributes['name'].slice(0, maxNameLength))
  },
}

const elements: Readonly<Record<string, Element>> = {
  speak: setLanguage,
  lang: setLanguage,
  p: block(true),
  s: block(false),
  break: pause,
  prosody,
  emphasis,
  voice,
  'say-as': sayAsElement,
  sub,
  phoneme,
  w: {},
  token: {},
  audio,
  mark,
  desc: silent,
  metadata: silent,
  meta: silent,
  lexicon: silent,
}

interface SayAs {
  as: string
  format?: string | undefined
  language: string
  /** Preceding text, for languages with inflection. */
  before: string
}

type Way = (text: string, wording: Wording, input: SayAs) => string

const digitsOnly = (text: string): string => text.replace(/[\s.,-]/g, '')

const sayDate: Way = (text, wording, { format = '', language, before }) => {
  const parts = /^\d{8}$/.test(text)
    ? [text.slice(0, 4), text.slice(4, 6), text.slice(6)]
    : text.split(/[\s./-]+/).filter((part) => part !== '')
  if (!parts.every((part) => /^\d{1,4}$/.test(part))) return spokenText(text, language)
  const usual = parts[0]?.length === 4 ? 'ymd' : /^en(-US)?$/i.test(language) ? 'mdy' : 'dmy'
  const order = /^[ymd]{1,3}$/.test(format) && format.length >= parts.length ? format : usual
  const part = (name: string): string | undefined => parts[order.indexOf(name)]
  const date = calendarDate(part('d'), part('m'), part('y'))
  return date ? wording.date(date, before) : spokenText(text, language)
}

const sayTime: Way = (text, wording, { language }) => {
  const match = /^(\d{1,2})(?:[:.h](\d{2}))?(?:[:.](\d{2}))?\s?(a|p)?\.?(?:m\.?)?$/i.exec(text)
  const [, hour = '99', minute = '0', second, half] = match ?? []
  if (Number(hour) > 24 || Number(minute) > 59) return spokenText(text, language)
  return wording.time({
    hour: Number(hour),
    minute: Number(minute),
    ...(second && { second: Number(second) }),
    ...(half && { half: half.toLowerCase() === 'a' ? 'am' : 'pm' }),
  })
}

const sayCardinal: Way = (text, wording, { language }) => {
  const match = /^([+-]?)(\d[\d.,]*)$/.exec(text.replace(/\s/g, ''))
  if (!match?.[2]) return spokenText(text, language)
  const sign = match[1] === '' ? '' : `${wording.symbols[match[1] as '+' | '-']} `
  return sign + sayAmount(match[2].replace(/[.,]$/, ''), wording)
}

const sayOrdinal: Way = (text, wording, { language, before }) => {
  const digits = digitsOnly(text).replace(/(?:st|nd|rd|th)$/i, '')
  return /^\d{1,15}$/.test(digits) ? wording.ordinal(digits, before) : spokenText(text, language)
}

const asText: Way = (text, _, { language }) => spokenText(text, language)
const asCharacters: Way = (text, wording) => spell(text, wording)
const asDigits: Way = (text, wording) => (/^[+\d\s().,/-]+$/.test(text) ? sayDigits(text, wording) : spell(text, wording))

const ways: Record<string, Way> = {
  digits: asDigits,
  telephone: asDigits,
  'vxml:digits': asDigits,
  'vxml:phone': asDigits,
  characters: asCharacters,
  'spell-out': asCharacters,
  verbatim: asCharacters,
  date: sayDate,
  time: sayTime,
  cardinal: sayCardinal,
  number: sayCardinal,
  ordinal: sayOrdinal,
  currency: asText,
  unit: asText,
  address: asText,
}

const knowsSayAs = (as: string): boolean => Object.hasOwn(ways, as)

/** For languages without wording tables, characters are spoken one by one, and the rest is left to the voice. */
const sayAs = (text: string, input: SayAs): string => {
  const wording = wordingOf(input.language)
  const way = ways[input.as]
  if (way && wording) return way(text.trim(), wording, input)
  return way === asDigits || way === asCharacters ? Array.from(text.replace(/[\s-]/g, '')).join(' ') : text
}
