import { changed, emphasisOf, readBreak, readPitch, readRate, readVolume } from './prosody.ts'
import { knowsSayAs, sayAs } from './say-as.ts'
import type { ProsodyStyle } from './script.ts'
import type { ScriptWriter } from './script-writer.ts'

/** An element that is open. */
export interface Frame {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  manner: ProsodyStyle
  /** Its words are not said, or not as they are. */
  collected?: string
}

export interface Page {
  writer: ScriptWriter
  note: (problem: string) => void
}

/** What an element does when it begins and when it ends. */
export interface Element {
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

export const elements: Readonly<Record<string, Element>> = {
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
  phoneme: {},
  w: {},
  token: {},
  audio,
  mark,
  desc: silent,
  metadata: silent,
  meta: silent,
  lexicon: silent,
}
