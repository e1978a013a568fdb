import { Parser } from 'htmlparser2'
import type { Paragraph } from '#core/kernel/ports/document/document-reader.ts'

/** What is around the text of a page, or no text. */
const leftOut = new Set([
  'script',
  'style',
  'nav',
  'footer',
  'head',
  'noscript',
  'template',
  'svg',
  'iframe',
  'form',
  'select',
  'button',
  'aside',
])
const headings = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
/** Within a paragraph; every other element ends it. */
const inline = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp small span strong sub sup td th time tt u var wbr'.split(
    ' ',
  ),
)
/** Characters that are parsed at a time, so that a large page holds up nobody. */
const concurrency = 32_768

/** The text of a page under its headings. */
export const htmlParagraphs = async (html: string, breathe: () => Promise<void>): Promise<Paragraph[]> => {
  const page = new PageText()
  const parser = new Parser({
    onopentagname: (name) => page.opens(name),
    onclosetag: (name) => page.closes(name),
    ontext: (text) => page.says(text),
  })
  for (let at = 0; at < html.length; at += concurrency) {
    parser.write(html.slice(at, at + concurrency))
    await breathe()
  }
  parser.end()
  return page.end()
}

class PageText {
  readonly #paragraphs: Paragraph[] = []
  #text = ''
  #heading: string | undefined
  /** How deep we are in what is left out. */
  #outside = 0
  #inHeading = false

  opens(name: string): void {
    if (leftOut.has(name)) this.#outside++
    if (inline.has(name)) this.#text += name === 'td' || name === 'th' ? ' ' : ''
    else this.#close()
    if (headings.has(name)) this.#inHeading = true
  }

  closes(name: string): void {
    if (!inline.has(name)) this.#close()
    if (leftOut.has(name)) this.#outside = Math.max(0, this.#outside - 1)
    if (headings.has(name)) this.#inHeading = false
  }

  says(text: string): void {
    if (this.#outside === 0) this.#text += text
  }

  end(): Paragraph[] {
    this.#close()
    return this.#paragraphs
  }

  #close(): void {
    const text = this.#text.replaceAll(/\s+/g, ' ').trim()
    this.#text = ''
    if (text === '') return
    if (this.#inHeading) this.#heading = text
    else this.#paragraphs.push({ text, ...(this.#heading !== undefined && { heading: this.#heading }) })
  }
}
