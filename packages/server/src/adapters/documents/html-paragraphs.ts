import { Parser } from 'htmlparser2'
import { DocumentUnreadable, type Paragraph } from '#core/kernel/ports/files.ts'

/** Elements around the text of a page, or without text. */
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
/** Elements within a paragraph; every other element ends it. */
const inline = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp small span strong sub sup td th time tt u var wbr'.split(
    ' ',
  ),
)
/**
 * Maximum nesting of elements: browsers stop at 512. The parser scans all open elements at every tag, so without a limit a page takes
 * quadratic time.
 */
const maxDepth = 1_000

/** The text of a page under its headings. */
export const htmlParagraphs = (html: string): Paragraph[] => {
  const page = new PageText()
  let depth = 0
  const parser = new Parser({
    onopentagname: (name) => {
      if (++depth > maxDepth) throw new DocumentUnreadable(`The page has more than ${maxDepth} elements inside of each other.`)
      page.opens(name)
    },
    onclosetag: (name) => {
      depth--
      page.closes(name)
    },
    ontext: (text) => page.says(text),
  })
  parser.end(html)
  return page.end()
}

class PageText {
  readonly #paragraphs: Paragraph[] = []
  #text = ''
  #heading: string | undefined
  /** Depth within skipped elements. */
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
