import { SaxesParser } from 'saxes'
import { elements, type Element, type Frame, type Page } from './elements.ts'
import { ScriptWriter } from './script-writer.ts'
import type { ProsodyStyle, Script } from './script.ts'

const maxElements = 1_000
const deepest = 32
const maxProblems = 20

/** Not a document that is read: malformed, too large, or with things in it that no speech needs. */
export class UnreadableDocument extends Error {}

export interface ReadDocument {
  script: Script
  problems: string[]
  sounds?: true
}

/** Knows no entities but the five of XML; declarations and instructions are refused. Throws UnreadableDocument. */
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
  readonly #manner: ProsodyStyle
  readonly #frames: { frame: Frame; element: Element }[] = []
  #elements = 0
  #sounds = false

  constructor(prosody: ProsodyStyle) {
    this.#manner = prosody
    this.#page = { writer: this.#writer, note: (problem) => this.#note(problem) }
  }

  open(name: string, attributes: Record<string, string>): void {
    if (++this.#elements > maxElements) refuse(`there are more than ${maxElements} elements`)
    if (this.#frames.length >= deepest) refuse(`elements are nested more than ${deepest} deep`)
    const parent = this.#frames.at(-1)?.frame
    if (!parent && name !== 'speak') refuse('the outermost element is not <speak>')
    const frame: Frame = { name, attributes, manner: { ...(parent?.manner ?? this.#manner) } }
    const element = this.#elementFor(name)
    this.#frames.push({ frame, element })
    // What is inside of something that is said in another way adds its words only.
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
    return { script: this.#writer.script(), problems: [...this.#problems], ...(this.#sounds && { sounds: true }) }
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
